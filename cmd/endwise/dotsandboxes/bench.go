package dotsandboxes

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/goodplay"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/live"
)

// benchOptions are the flags of endwise bench dotsandboxes.
type benchOptions struct {
	goodplay.Options
	boards   []string
	goodPlay bool
}

func newBenchCmd(a *cli.App) *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "dotsandboxes",
		Short: "Measure the exact solver of Dots and Boxes",
		Long: `Solves empty boards from a cold table. With one thread the number of expanded
positions is the same on every machine and in every run; it changes when the
search does. 3x5 and 4x4 take a minute or more.

--good-play measures on positions of games on 5x5 that our own player played against
itself after six random lines, at 46, 44, … 30 lines left, the same ones
everywhere (data/benchmark/dotsandboxes.games): how many are solved within half a
second and within --time from a cold table, in what time half of them are, and how
often the player's move, half a second on the clock, is one of the best, where a
long solve has told which those are.`,
		Example: "  endwise bench dotsandboxes\n  endwise bench dotsandboxes --boards 3x5,4x4 --threads 2 --hash 1024\n  endwise bench dotsandboxes --good-play --cpu --every 4",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := cmp.Or(cli.WantSizes(o.Threads, o.HashMB),
				cli.Want(o.Time > 0, "--time", o.Time, "more than 0"),
				cli.Want(o.Every >= 1, "--every", o.Every, "1 or more"),
				cli.Want(!o.CPU || book.HasProcessorTime, "--cpu", o.CPU, "a system that tells processor time"))
			switch {
			case err != nil:
				return err
			case o.goodPlay:
				return goodplay.DotsAndBoxes.Measure(cmd.Context(), a.Stdout, o.Options)
			}
			return benchBoards(cmd.Context(), a, o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.boards, "boards", []string{"2x4", "2x5", "3x3", "3x4"}, "boards to solve")
	f.IntVar(&o.Threads, "threads", 1, cli.ThreadsUsage+"; expansions repeat only with 1")
	f.IntVar(&o.HashMB, "hash", 256, cli.HashUsage)
	f.BoolVar(&o.goodPlay, "good-play", false, cli.GoodPlayUsage)
	f.DurationVar(&o.Time, "time", 3*time.Second, "with --good-play: "+cli.TimeUsage)
	f.BoolVar(&o.CPU, "cpu", false, cli.CPUUsage)
	f.IntVar(&o.Every, "every", 1, cli.EveryUsage)
	f.BoolVarP(&o.Verbose, "verbose", "v", false, cli.VerboseUsage+"; a line a position")
	return c
}

// newSolver makes a solver with a table of so many megabytes.
func newSolver(threads, hash int) *exact.Solver {
	s := exact.New(exact.Options{Threads: threads, TableBytes: int64(hash) << 20})
	s.Warm()
	return s
}

func benchBoards(ctx context.Context, a *cli.App, o benchOptions) error {
	var boards []*grid.Board
	for _, name := range o.boards {
		b, err := grid.Parse(name)
		if err == nil && b.Segments() > exact.MaxEdges {
			err = fmt.Errorf("board %s: has %d lines, at most %d can be solved", b, b.Segments(), exact.MaxEdges)
		}
		if err != nil {
			return cli.BadInput(fmt.Errorf("--boards: %w", err))
		}
		boards = append(boards, b)
	}
	fmt.Fprintf(a.Stdout, "board  lines  value  expansions    seconds  processor  million/s\n")
	for _, b := range boards {
		s := newSolver(o.Threads, o.HashMB)
		start, cpu := time.Now(), book.ProcessorTime()
		r, err := s.Value(ctx, b, b.All())
		if err != nil {
			return err
		}
		if !r.Exact() {
			return ctx.Err()
		}
		took, used := time.Since(start).Seconds(), (book.ProcessorTime() - cpu).Seconds()
		fmt.Fprintf(a.Stdout, "%5s  %5d  %+5d  %10d  %9.2f  %9.2f  %9.2f\n",
			b, b.Segments(), r.Lower, r.Nodes, took, used, float64(r.Nodes)/1e6/took)
	}
	return nil
}

// countSolver is the node count of the exact solver, on empty boards and late in
// games on 5x5, which it searches in another order.
func countSolver(ctx context.Context) (nodes uint64, err error) {
	for _, size := range []string{"2x4", "2x5", "3x3"} {
		b, err := grid.Parse(size)
		if err != nil {
			return 0, err
		}
		r, err := newSolver(1, 16).Value(ctx, b, b.All())
		if err != nil {
			return 0, err
		}
		nodes += r.Nodes
	}
	late, err := goodplay.DotsAndBoxes.Nodes(ctx, 36, 4)
	return nodes + late, err
}

// countLive is the node count of live search: the expansions in
// the leaves of a number of playouts.
func countLive(ctx context.Context) (nodes uint64, err error) {
	b, err := grid.Parse("5x5")
	if err != nil {
		return 0, err
	}
	return live.New(newSolver(1, 16), 1).Search(ctx, b, b.All(), live.Options{Seed: 1, Playouts: 400}).Nodes, nil
}
