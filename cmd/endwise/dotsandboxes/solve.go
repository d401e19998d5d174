package dotsandboxes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"endwise/book"
	dabbook "endwise/book/dotsandboxes"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/solve"
	"endwise/cmd/endwise/workers"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

type solveOptions struct {
	board   string
	start   string
	value   bool
	threads int
	hashMB  int
	split   int
	order   int
	json    bool
	force   bool
	answers string // file
	nats    workers.NatsFlags
}

func newSolveCmd(a *cli.App) *cobra.Command {
	var o solveOptions
	c := &cobra.Command{
		Use:   "dotsandboxes --board RxC [--value]",
		Short: "Solve Dots and Boxes: all positions of a small board, or the value of a larger one",
		Long: `--board RxC solves every canonical position of a board of at most 40 lines and
stores them as a table: 3x3 and 2x5 take seconds, 3x4 and 2x6 minutes, 4x4 is a
long run in 8 GB of memory. A forecast is printed before a long run, and a table that
would take more than an hour wants --force.

With --value only the empty board is solved, of at most 64 lines (4x5 has 49, 5x5
has 60), by a search that is split into the positions after --split lines. The store
keeps a journal of the bounds of those positions and of the proofs leading to them,
so the run can be stopped at any time; Ctrl-C also saves the transposition table,
which takes up to --hash on disk until the board is solved. With --nats workers
compute the bounds.

--nats is for --value only: the threads of a complete table share that table, and
sending it would take longer than solving.

After an interruption (Ctrl-C) the same command resumes.`,
		Example: "  endwise solve dotsandboxes --board 3x4\n  endwise solve dotsandboxes --board 4x4 --value --hash 1024",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a.WithJSON(o.json)) },
	}
	c.Flags().StringVar(&o.board, "board", "", cli.BoardUsage+", for instance 3x4")
	c.Flags().StringVar(&o.start, "start", "", "with --value: "+cli.StartUsage+"; an interrupted run starts again")
	c.Flags().BoolVar(&o.value, "value", false, "solve the empty board only")
	c.Flags().IntVar(&o.threads, "threads", cli.Processors, cli.ThreadsUsage+"; with --nats the number of parallel jobs")
	c.Flags().IntVar(&o.hashMB, "hash", 1024, "with --value: "+cli.HashUsage)
	c.Flags().IntVar(&o.split, "split", 4, "with --value: lines drawn in the positions that the search is split into")
	c.Flags().IntVar(&o.order, "order", 1, solve.OrderUsage)
	c.Flags().BoolVar(&o.json, "json", false, solve.JSONUsage)
	c.Flags().BoolVar(&o.force, "force", false, solve.ForceUsage+" or, for a table, of more than an hour")
	c.Flags().StringVar(&o.answers, "answers", "", "write the part of the value's proof near the empty board to this file; solves the board as --value does")
	o.nats.Register(c)
	return c
}

func (o *solveOptions) check() error {
	switch {
	case o.board == "":
		return errors.New("--board: give a size like 3x4")
	case o.value && o.answers != "":
		return errors.New("--value and --answers cannot be combined: give one of them")
	case (o.start != "" || o.order == 2) && o.nats.URL != "":
		return errors.New("--nats: not with --start or --order 2")
	case o.start != "" && !o.value:
		return errors.New("--start wants --value")
	case o.nats.URL != "" && !o.value:
		return errors.New("--nats wants --value: a table of all positions is made by threads that share it, " +
			"which is faster than sending it; see --help")
	}
	return cmp.Or(
		cli.WantSizes(o.threads, o.hashMB),
		solve.WantOrder(o.order, o.value),
		cli.Want(o.split >= 0, "--split", o.split, "0 or more"),
	)
}

func (o *solveOptions) run(ctx context.Context, a *cli.App) error {
	dir, err := a.Store()
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return cli.BadInput(err)
	}
	b, err := grid.Parse(o.board)
	if err != nil {
		return cli.BadInput(err)
	}
	if !o.value && o.answers == "" {
		return o.solveBoard(ctx, a, dir, b)
	}
	if n := b.Segments(); n > exact.MaxEdges {
		return cli.BadInput(fmt.Errorf("board %s has %d lines: want at most %d for a value",
			b, n, exact.MaxEdges))
	}
	positions := solve.ForecastValue(dotsandboxes.Name, cmp.Or(o.start, "american"), b)
	value := book.ValueOptions{
		Threads: o.threads, TableBytes: solve.TableBytes(o.hashMB, positions), Plies: o.split, Forecast: positions,
	}
	if o.answers != "" {
		return o.prove(ctx, a, dir, b, value)
	}
	forecast := func() error { return o.forecast(ctx, a, b, positions) }
	if o.start != "" || o.order == 2 {
		if err := forecast(); err != nil {
			return err
		}
		return o.solveOnce(ctx, a, b, value)
	}
	work := workers.Coordination{
		Title: "solve dotsandboxes --value --board " + b.String(),
		Kind:  dabbook.ValueJobs, Memory: dabbook.ValueMemory(value), Threads: o.threads,
	}
	return solve.BoardValue(ctx, a, dir, dotsandboxes.Name, b, &o.nats, work, forecast, func(f farm.Farm, p *farm.Progress) (book.BoardValue, error) {
		return dabbook.SolveValue(ctx, dir, b, value, f, p)
	})
}

// forecast prints the expected time of a search of the given number of positions, from a solve of 3x4 on
// this machine. If it is too long, --force must be set.
func (o *solveOptions) forecast(ctx context.Context, a *cli.App, b *grid.Board, positions float64) error {
	return solve.Forecast(a, b.String(), positions, o.force, func() (uint64, error) {
		sample, err := grid.New(3, 4)
		if err != nil {
			return 0, err
		}
		s := exact.New(exact.Options{Threads: o.threads, TableBytes: 16 << 20})
		r, err := s.Value(ctx, sample, sample.All())
		return r.Nodes, err
	})
}

// solveOnce computes the value of a named start, or in the second order of moves, without a journal.
func (o *solveOptions) solveOnce(ctx context.Context, a *cli.App, b *grid.Board, value book.ValueOptions) error {
	name := cli.BoardAndStart(b.String(), o.start)
	p, err := dotsandboxes.Game{}.Start(name)
	if err != nil {
		return cli.BadInput(err)
	}
	return solve.Value(ctx, a, dotsandboxes.Name, name, p, value.Forecast, func(ctx context.Context, searched func(uint64)) (solver.Result, error) {
		s := exact.New(exact.Options{Threads: o.threads, TableBytes: value.TableBytes, SecondOrder: o.order == 2, Searched: searched})
		return s.Value(ctx, b, p.(dotsandboxes.Position).Free())
	})
}

// prove writes the file of --answers.
func (o *solveOptions) prove(ctx context.Context, a *cli.App, dir string, b *grid.Board, value book.ValueOptions) error {
	return solve.WriteAnswers(a, b, o.answers, func(w io.Writer) (n int, _ solver.Result, _ error) {
		prove := func(f farm.Farm, p *farm.Progress) (v book.BoardValue, err error) {
			n, v, err = dabbook.ProveValue(ctx, dir, b, value, f, w, p)
			return v, err
		}
		v, err := solve.Run(ctx, a, &workers.NatsFlags{}, workers.Coordination{Threads: o.threads}, prove)
		return n, solver.Result{Bounds: solver.Bounds{Lower: v.Lower, Upper: v.Upper}}, err
	})
}

// solveBoard solves all positions of a board as a table in the store dir. Before a long run it prints a
// forecast, and if that is too long, --force must be set.
func (o *solveOptions) solveBoard(ctx context.Context, a *cli.App, dir string, b *grid.Board) error {
	if err := dabbook.CanSolveBoard(b); err != nil {
		return cli.BadInput(err)
	}
	if dabbook.EstimatePositions(b) >= 1_000_000 && !solve.Begun(dir, dotsandboxes.Name, b) {
		f, err := dabbook.ForecastBoard(ctx, b, o.threads)
		if err != nil {
			return cli.Resumable(err)
		}
		fmt.Fprintf(a.Stdout, "%s: about %s positions, about %s on this machine as busy as it is now; "+
			"%s of memory, %s on disk while it runs, %s at the end\n",
			b, cli.Amount(f.Positions), cli.Duration(f.Time), cli.Bytes(f.Memory), cli.Bytes(f.Journal), cli.Bytes(f.Table))
		if err := solve.WantForce(b.String(), f.Time, f.Memory, o.force); err != nil {
			return err
		}
	}
	complete := func(_ farm.Farm, p *farm.Progress) (*store.Header, error) {
		return dabbook.SolveBoard(ctx, dir, b, o.threads, p)
	}
	h, err := solve.Run(ctx, a, &workers.NatsFlags{}, workers.Coordination{}, complete)
	return solve.PrintSolved(ctx, a, h, err)
}
