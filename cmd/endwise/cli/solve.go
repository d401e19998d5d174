package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/farm"
)

// Solve makes a table and prints what it is. A table that is there already is no
// failure.
func (a *App) Solve(ctx context.Context, nats *NatsFlags, o Coordination, build func(farm.Farm, *farm.Progress) (*store.Header, error)) error {
	var h *store.Header
	err := a.Offline(ctx, nats, o, func(f farm.Farm, p *farm.Progress) (err error) {
		h, err = build(f, p)
		return err
	})
	switch {
	case errors.Is(err, store.ErrExists):
		_, err = fmt.Fprintln(a.Stdout, err)
		return err
	case err != nil:
		return err
	}
	return PrintTable(a.Stdout, h)
}

// Offline does the work of a solve with its progress on standard error, on
// machines with --nats, else on o.threads goroutines. What is done is kept,
// however it ends.
func (a *App) Offline(ctx context.Context, nats *NatsFlags, o Coordination, work func(farm.Farm, *farm.Progress) error) error {
	var p farm.Progress
	f, end, err := a.Coordinate(ctx, nats, o, &p)
	if err != nil {
		return err
	}
	if f == nil {
		here := farm.NewInProcess(JobKinds(), o.Threads)
		f, end = here, here.Close
	}
	stop := a.ShowProgress(&p)
	err = work(f, &p)
	stop(err)
	if endErr := end(); err == nil {
		err = endErr
	}
	if err == nil || errors.Is(err, store.ErrExists) || errors.Is(err, context.Canceled) {
		return Resumable(err)
	}
	return fmt.Errorf("solve: %w", err)
}

// PrintTable prints what a table's header says.
func PrintTable(w io.Writer, h *store.Header) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Title)
	fmt.Fprintf(&b, "  positions  %d", h.Positions)
	for _, name := range slices.Sorted(maps.Keys(h.Notes)) {
		fmt.Fprintf(&b, ", %d %s", h.Notes[name], name)
	}
	fmt.Fprintf(&b, "; %d verified\n", h.Verified)
	fmt.Fprintf(&b, "  bytes      %d, %s a position\n", h.Bytes(), bytesEach(h))
	fmt.Fprintf(&b, "  values    ")
	for _, v := range slices.Sorted(maps.Keys(h.Histogram)) {
		name := fmt.Sprintf("%+d", v)
		if g, err := GameNamed(h.Game); err == nil {
			name = g.WebGame().Value(v, engine.Exact)
		}
		fmt.Fprintf(&b, " %s: %s", name, percent(h.Histogram[v], h.Positions))
	}
	fmt.Fprintf(&b, "\n  digest     %s\n", h.SHA256)
	_, err := io.WriteString(w, b.String())
	return err
}

func bytesEach(h *store.Header) string {
	if h.Positions == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g", float64(h.Bytes())/float64(h.Positions))
}

// percent writes a part of a whole in percent, with a digit where it is small.
func percent(part, whole uint64) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	if p >= 9.95 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}
