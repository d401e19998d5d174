// Package solve runs the work of the solve commands, in this process or on workers, and
// prints the solved tables.
package solve

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"endwise/book"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web/answer"
	"endwise/cmd/endwise/workers"
	"endwise/engine"
	"endwise/engine/disk"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/farm"
)

// Run calls work with a farm and shows its progress. With --nats the farm consists of workers, otherwise
// of o.Threads goroutines.
func Run[T any](ctx context.Context, a *cli.App, nats *workers.NatsFlags, o workers.Coordination,
	work func(farm.Farm, *farm.Progress) (T, error)) (result T, err error) {
	var p farm.Progress
	f, end, err := workers.Coordinate(ctx, a, nats, o, &p)
	if err != nil {
		return result, err
	}
	stop := cli.ShowProgress(a.Stderr, &p)
	result, err = work(f, &p)
	stop(err)
	err = errors.Join(err, end())
	if err == nil || errors.As(err, new(*store.ExistsError)) || errors.Is(err, context.Canceled) {
		return result, cli.Resumable(err)
	}
	return result, fmt.Errorf("solve: %w", err)
}

// PrintSolved prints the table that [Run] returned. If err is a [store.ExistsError], it prints err and the
// existing table. As text, the value of the empty board follows if the table is of one board and gives the
// exact value. Other errors are returned.
func PrintSolved(ctx context.Context, a *cli.App, h *store.Header, err error) error {
	if exists := new(store.ExistsError); errors.As(err, &exists) {
		fmt.Fprintln(a.Stdout, err)
		h, err = store.ReadHeader(exists.Path)
	}
	if err != nil {
		return err
	}
	if err := PrintTable(a, h); err != nil || h.Params["board"] == "" || a.JSON != nil {
		return err
	}
	g, err := a.Games.Named(h.Game)
	if err != nil {
		return err
	}
	p, err := g.Start(h.Params["board"])
	if err != nil {
		return err
	}
	dir, err := a.Store()
	if err != nil {
		return err
	}
	l, err := g.Sources.Open(book.Options{Store: dir, NoBooks: true, Threads: 1, HashBytes: 1 << 20})
	if err != nil {
		return err
	}
	defer l.Close()
	d, err := l.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(time.Second)})
	if err != nil || d.Proof != engine.Exact {
		return err
	}
	return printValue(a, g, p.BoardName(), p, d.Score, 0, 0)
}

// WriteAnswers lets prove write a part of a proof to the file at path, and prints a summary. If prove
// fails, the file is unchanged.
func WriteAnswers(a *cli.App, b *grid.Board, path string, prove func(io.Writer) (positions int, r solver.Result, err error)) error {
	var n int
	var r solver.Result
	err := disk.WriteFile(path, 0o644, func(w io.Writer) (err error) {
		n, r, err = prove(w)
		return err
	})
	switch {
	case errors.As(err, new(*cli.Unfinished)):
		return err
	case cli.Interrupted(err):
		return &cli.Unfinished{Err: err, Next: "nothing was kept, so the same command begins anew"}
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s for player 1 with best play, proved; %s of the proof in %s\n",
		b, r, cli.Count(n, "position"), path)
	return err
}

// JSONUsage describes --json.
const JSONUsage = cli.JsonUsage + ": a value in the form of query --json, a table with its digest; other text is on standard error"

// OrderUsage describes --order.
const OrderUsage = "with --value: 1 or 2, the order in which moves are tried; 2 tries them in another order, to check a value by a different search, and keeps nothing"

// WantOrder returns an error if order is not a value of --order.
func WantOrder(order int, value bool) error {
	if order == 2 && !value {
		return errors.New("--order 2 wants --value")
	}
	return cli.Want(order == 1 || order == 2, "--order", order, "1 or 2")
}

// Value prints the value of the position p, with the given name, that compute returns. forecast is the
// expected number of positions. compute calls searched with the number of positions since its last call,
// and returns bounds if ctx ends.
func Value(
	ctx context.Context, a *cli.App, game, name string, p engine.Position, forecast float64,
	compute func(ctx context.Context, searched func(n uint64)) (solver.Result, error),
) error {
	g, err := a.Games.Named(game)
	if err != nil {
		return err
	}
	start := time.Now()
	var shown farm.Progress
	shown.Begin("value of "+name, "positions", 0, 0)
	shown.Forecast(forecast)
	stop := cli.ShowProgress(a.Stderr, &shown)
	r, err := compute(ctx, shown.Add)
	stop(err)
	if err = errors.Join(err, ctx.Err()); err != nil && !cli.Interrupted(err) {
		return err
	}
	if r.Exact() {
		return printValue(a, g, name, p, r.Lower, r.Nodes, time.Since(start))
	}
	fmt.Fprintf(a.Stdout, "%s so far: between %s and %s for player 1\n", name, answer.Signed(r.Lower), answer.Signed(r.Upper))
	return &cli.Unfinished{Err: err, Next: "nothing was kept, so the same command begins anew"}
}

// BoardValue prints the value of an empty board that work computes with a journal in dir, or what is
// proved after an interruption. If the journal contains the value, work is not called; if it is empty,
// forecast is called first.
func BoardValue(
	ctx context.Context, a *cli.App, dir, game string, b *grid.Board, nats *workers.NatsFlags, o workers.Coordination,
	forecast func() error, work func(farm.Farm, *farm.Progress) (book.BoardValue, error),
) error {
	g, err := a.Games.Named(game)
	if err != nil {
		return err
	}
	v, err := g.Sources.SolvedValue(dir, b)
	switch {
	case err != nil:
		return err
	case v.Exact():
	case v.Subpositions == 0:
		err = forecast()
	default:
		_, err = fmt.Fprintf(a.Stdout, "%s: continues from bounds of %s\n", b, cli.Count(v.Subpositions, "position"))
	}
	if err != nil {
		return err
	}
	start := time.Now()
	if !v.Exact() {
		v, err = Run(ctx, a, nats, o, work)
	}
	if unfinished := new(cli.Unfinished); errors.As(err, &unfinished) {
		unfinished.Next = printBounds(a, b, v)
	}
	if err != nil {
		return err
	}
	p, err := g.Start(b.String())
	if err != nil {
		return err
	}
	if err := printValue(a, g, b.String(), p, v.Lower, v.Expansions, time.Since(start)); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "bounds of %s are kept\n", cli.Count(v.Subpositions, "position"))
	path := filepath.Join(dir, game+"-value-"+b.String()+".journal")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	_, err = fmt.Fprintf(a.Stdout, "digest %x of %s\n", sum[:8], path) // as data/results/values.csv lists it
	return err
}

// printBounds prints what v proves about the value of b. next says what is kept and how the command continues.
func printBounds(a *cli.App, b *grid.Board, v book.BoardValue) (next string) {
	value := fmt.Sprintf("the value lies between %s and %s", answer.Signed(v.Lower), answer.Signed(v.Upper))
	if v.Lower == -b.Squares() && v.Upper == b.Squares() {
		value = "nothing is proved about the value"
	}
	fmt.Fprintf(a.Stdout, "%s so far: %s\n", b, value)
	if v.Subpositions > 0 {
		return fmt.Sprintf("bounds of %s are kept, and the same command continues from them", cli.Count(v.Subpositions, "position"))
	}
	return "nothing was kept, so the same command begins anew"
}

// printValue prints the value of p, with the given name. If positions is above 0, it first prints how many
// were searched and how fast; took is the time of the search.
func printValue(a *cli.App, g cli.Game, name string, p engine.Position, value int, positions uint64, took time.Duration) error {
	if positions > 0 {
		fmt.Fprintf(a.Stdout, "%s searched in %s, %s/s\n", cli.Count(int(positions), "position"),
			cli.Duration(took), cli.Amount(uint64(float64(positions)/took.Seconds())))
	}
	d := engine.Decision{Score: value, Proof: engine.Exact, Exact: true, Source: "solved", Line: []string{}, Moves: []engine.MoveValue{},
		Nodes: positions, ElapsedMS: float64(took.Microseconds()) / 1000}
	if a.JSON != nil {
		return cli.WriteJSON(a.JSON, solvedValue{name, d})
	}
	_, err := fmt.Fprintf(a.Stdout, "%s: %s for player 1, proved. %s\n", name, answer.Signed(value), cli.Outcome(g, p, d))
	return err
}

// PrintTable prints a summary of a table: as JSON ([solvedTable]) if a.JSON is set, otherwise as text
// with title and notes.
func PrintTable(a *cli.App, h *store.Header) error {
	if a.JSON != nil {
		return cli.WriteJSON(a.JSON, solvedTable{h.Name, h.Positions, h.Verified, h.Bytes(), h.SHA256, h.Histogram})
	}
	var b strings.Builder
	entry := func(name string, words ...string) {
		label := fmt.Sprintf("  %-10s", name)
		indent := strings.Repeat(" ", len(label+" "))
		b.WriteString(cli.WrapWords(append([]string{label}, words...), indent, a.Columns()) + "\n")
	}
	b.WriteString(cli.Wrap(h.Name+": "+h.Title, "  ", a.Columns()) + "\n")
	count := engine.Digits(h.Positions)
	for _, note := range slices.Sorted(maps.Keys(h.Notes)) {
		count += ", " + engine.Digits(h.Notes[note]) + " " + note
	}
	entry("positions", strings.Fields(fmt.Sprintf("%s; %s verified", count, engine.Digits(h.Verified)))...)
	entry("bytes", engine.Digits(h.Bytes())+", "+bytesEach(h)+" per position")
	var values []string
	g, err := a.Games.Named(h.Game)
	for _, v := range slices.Sorted(maps.Keys(h.Histogram)) {
		value := fmt.Sprintf("%+d", v)
		if err == nil {
			value = g.Web.Value(v, engine.Exact)
		}
		values = append(values, fmt.Sprintf("%3s: %4.1f %%", value, 100*float64(h.Histogram[v])/float64(max(h.Positions, 1))))
	}
	entry("values", values...)
	entry("digest", h.SHA256)
	_, err = io.WriteString(a.Stdout, b.String())
	return err
}

type solvedTable struct {
	Name      string         `json:"name"`
	Positions uint64         `json:"positions"`
	Verified  uint64         `json:"verified"` // number of values that were compared
	Bytes     uint64         `json:"bytes"`
	SHA256    string         `json:"sha256"`
	Values    map[int]uint64 `json:"values"` // number of positions by value
}

type solvedValue struct {
	Name string `json:"name"`
	engine.Decision
}

func bytesEach(h *store.Header) string {
	if h.Positions == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g", float64(h.Bytes())/float64(h.Positions))
}
