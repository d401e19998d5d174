package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/progress"
	"endwise/solver/farm"
)

// comparison is two binaries of this program that run one command line in pairs, so
// that both meet the same machine: what else runs on it is in both figures, and not in
// their ratio.
type comparison struct {
	binaries [2]string // this one and the other
	args     []string
	pairs    int
}

// ran is one run of a command.
type ran struct {
	processor, wall time.Duration
	output          []byte
}

// run does a pair that does not count and then so many that do, and prints the ratios of
// this binary to the other: the median, the least and the greatest. Which of a pair
// comes first changes from pair to pair.
func (c *comparison) run(ctx context.Context, a *cli.App) (err error) {
	var p farm.Progress
	p.Begin("compare", "pairs", 0, uint64(c.pairs))
	stop := progress.Show(a.Stderr, &p)
	var processor, wall []float64
	var last [2]ran
	for n := range c.pairs + 1 {
		for i := range c.binaries {
			which := (n + i) % 2
			if last[which], err = c.once(ctx, c.binaries[which]); err != nil {
				stop(err)
				return err
			}
		}
		if n > 0 {
			processor = append(processor, last[0].processor.Seconds()/last[1].processor.Seconds())
			wall = append(wall, last[0].wall.Seconds()/last[1].wall.Seconds())
			p.Set(uint64(n))
		}
	}
	stop(nil)
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s; in the last one %.2f s of processor time against %.2f s\n",
		strings.Join(c.args, " "), cli.Count(c.pairs, "pair"), last[0].processor.Seconds(), last[1].processor.Seconds())
	fmt.Fprintf(&b, "  this / %s\n  processor time  %s\n  wall time       %s\n", c.binaries[1], spread(processor), spread(wall))
	b.WriteString(difference(last[0].output, last[1].output))
	_, err = io.WriteString(a.Stdout, b.String())
	return err
}

// once runs a binary over an empty store.
func (c *comparison) once(ctx context.Context, binary string) (r ran, err error) {
	store, err := os.MkdirTemp("", "endwise-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(store)
	cmd := exec.CommandContext(ctx, binary, c.args...)
	cmd.Env = append(os.Environ(), "ENDWISE_STORE="+store)
	var says strings.Builder
	cmd.Stderr = &says
	begin := time.Now()
	r.output, err = cmd.Output()
	r.wall = time.Since(begin)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return r, cli.BadInput(fmt.Errorf("--against: %w", err))
	}
	if err != nil {
		return r, fmt.Errorf("%s %s: %w: %s", binary, strings.Join(c.args, " "), err, strings.TrimSpace(says.String()))
	}
	r.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, nil
}

// spread is the median of ratios, the least and the greatest.
func spread(ratios []float64) string {
	slices.Sort(ratios)
	n := len(ratios)
	return fmt.Sprintf("%.3f  (%.3f to %.3f)", (ratios[(n-1)/2]+ratios[n/2])/2, ratios[0], ratios[n-1])
}

// difference is the first line in which two outputs differ, in words.
func difference(this, other []byte) string {
	a, b := strings.Split(string(this), "\n"), strings.Split(string(other), "\n")
	for n := range max(len(a), len(b)) {
		if n >= len(a) || n >= len(b) || a[n] != b[n] {
			return fmt.Sprintf("  output differs in line %d: %q, the other's %q\n", n+1, at(a, n), at(b, n))
		}
	}
	return "  output is the same\n"
}

func at(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return ""
}
