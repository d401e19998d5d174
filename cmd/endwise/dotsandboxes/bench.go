package dotsandboxes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// benchOptions are the flags of endwise bench dotsandboxes.
type benchOptions struct {
	boards  []string
	threads int
	hash    int // megabytes
	live    int
	board   string
	safe    int
	time    time.Duration
	seed    uint64
}

func newBenchCmd(a *cli.App) *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "dotsandboxes",
		Short: "Measure the exact solver of Dots and Boxes",
		Long: `Solves empty boards from a cold table. With one thread the number of expanded
positions is the same on every machine and in every run; it changes when the
search does. 3x5 and 4x4 take a minute or more.

With --live N it plays N games of random safe lines until --safe safe lines
are left, and tells how many of these positions are solved within --time, cold
table.`,
		Example: "  endwise bench dotsandboxes\n  endwise bench dotsandboxes --boards 3x5,4x4 --threads 2 --hash 1024\n  endwise bench dotsandboxes --live 10",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.threads < 1 || o.hash < 1:
				return cli.BadInput(errors.New("--threads and --hash: want 1 or more"))
			case o.live < 0 || o.safe < 0:
				return cli.BadInput(errors.New("--live and --safe: want 0 or more"))
			case o.time <= 0:
				return cli.BadInput(fmt.Errorf("--time %v: want more than 0", o.time))
			}
			if o.live > 0 {
				b, err := grid.Parse(o.board)
				if err != nil {
					return cli.BadInput(fmt.Errorf("--board: %w", err))
				}
				return benchLive(cmd.Context(), a, o, b)
			}
			return benchBoards(cmd.Context(), a, o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.boards, "boards", []string{"2x4", "2x5", "3x3", "3x4"}, "boards to solve")
	f.IntVar(&o.threads, "threads", 1, cli.ThreadsUsage+"; expansions repeat only with 1")
	f.IntVar(&o.hash, "hash", 256, cli.HashUsage)
	f.IntVar(&o.live, "live", 0, "measure on so many random games instead")
	f.StringVar(&o.board, "board", dotsandboxes.UsualBoard, "with --live: "+cli.BoardUsage)
	f.IntVar(&o.safe, "safe", 8, "with --live: safe lines left")
	f.DurationVar(&o.time, "time", 500*time.Millisecond, "with --live: "+cli.TimeUsage)
	f.Uint64Var(&o.seed, "seed", 1, "with --live: "+cli.SeedUsage)
	return c
}

func (o benchOptions) solver() *exact.Solver {
	s := exact.New(exact.Options{Threads: o.threads, TableBytes: int64(o.hash) << 20})
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
		s := o.solver()
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

// countSolver is the node count of the exact solver.
func countSolver(ctx context.Context) (nodes uint64, err error) {
	for _, size := range []string{"2x4", "2x5", "3x3"} {
		b, err := grid.Parse(size)
		if err != nil {
			return 0, err
		}
		r, err := benchOptions{threads: 1, hash: 16}.solver().Value(ctx, b, b.All())
		if err != nil {
			return 0, err
		}
		nodes += r.Nodes
	}
	return nodes, nil
}

// countLive is the node count of live search: the expansions in
// the leaves of a number of playouts.
func countLive(ctx context.Context) (nodes uint64, err error) {
	b, err := grid.Parse("5x5")
	if err != nil {
		return 0, err
	}
	s := benchOptions{threads: 1, hash: 16}.solver()
	return s.Search(ctx, b, b.All(), exact.LiveOptions{Seed: 1, Playouts: 400}).Nodes, nil
}

// benchLive measures how far from the end positions are solved in time.
func benchLive(ctx context.Context, a *cli.App, o benchOptions, b *grid.Board) error {
	r := rand.New(rand.NewPCG(o.seed, 1))
	solved, slowest := 0, time.Duration(0)
	for game := range o.live {
		p, err := randomSafeGame(r, b, o.safe)
		if err != nil {
			return err
		}
		s := o.solver()
		limited, cancel := context.WithTimeout(ctx, o.time)
		start, cpu := time.Now(), book.ProcessorTime()
		_, result, err := s.Best(limited, b, p.Free())
		took, used := time.Since(start), book.ProcessorTime()-cpu
		cancel()
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		what := "not solved: " + result.String()
		if result.Exact() {
			solved++
			slowest = max(slowest, took)
			what = "value " + result.String()
		}
		fmt.Fprintf(a.Stdout, "game %d: %d safe lines left, %d free: %s, %d expansions in %.0f ms (processor %.0f ms)\n",
			game+1, p.SafeMovesLeft(), p.Free().Len(), what, result.Nodes, ms(took), ms(used))
	}
	_, err := fmt.Fprintf(a.Stdout, "%d of %d solved within %v, the slowest in %.0f ms\n", solved, o.live, o.time, ms(slowest))
	return err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// randomSafeGame plays random safe lines until no more than so many are left.
func randomSafeGame(r *rand.Rand, b *grid.Board, left int) (dotsandboxes.Position, error) {
	p := dotsandboxes.New(b)
	for p.SafeMovesLeft() > left {
		var safe []engine.Move
		for _, m := range p.Moves() {
			if p.Safe(m) {
				safe = append(safe, m)
			}
		}
		var err error
		if p, err = p.DrawLine(safe[r.IntN(len(safe))]); err != nil {
			return p, err
		}
	}
	return p, nil
}

// boardValue works out the value of an empty board, and counts expansions.
func boardValue(ctx context.Context, board string) (value int, expansions uint64, err error) {
	b, err := grid.Parse(board)
	if err != nil {
		return 0, 0, err
	}
	r, err := benchOptions{threads: 1, hash: 256}.solver().Value(ctx, b, b.All())
	if err == nil && !r.Exact() {
		err = errors.Join(ctx.Err(), errors.New("not solved"))
	}
	return r.Lower, r.Nodes, err
}
