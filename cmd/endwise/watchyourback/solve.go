package watchyourback

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	wybbook "endwise/book/watchyourback"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/solve"
	"endwise/cmd/endwise/workers"
	"endwise/solver/farm"
	"endwise/solver/watchyourback/tables"
)

type solveOptions struct {
	pieces, samples int
	json            bool
	nats            workers.NatsFlags
}

func newSolveCmd(a *cli.App) *cobra.Command {
	var o solveOptions
	c := &cobra.Command{
		Use:   "watchyourback",
		Short: "Solve the 6x6 stage of Watch Your Back! for few pieces",
		Long: `Solves the last 64 turns on the 6x6 board for all positions with at most the given
number of pieces, both sides together, and stores the tables: 5 pieces take seconds
and 3 MB of disk, 6 pieces 20 seconds of processor time and 41 MB, 7 pieces three
minutes and 254 MB. The 4x4 board that follows is solved in a tenth of a second
whenever it is needed.

The last line gives the processor time of this process for solving, packing and
checking. Checking compares a sample of the values with those after each move.

After an interruption the same command resumes.`,
		Example: "  endwise solve watchyourback\n  endwise solve watchyourback --pieces 6",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a.WithJSON(o.json)) },
	}
	c.Flags().IntVar(&o.pieces, "pieces", 5, "maximum number of pieces, both sides together")
	c.Flags().IntVar(&o.samples, "compare", 20000, "number of values of each table to compare with those after each move")
	c.Flags().BoolVar(&o.json, "json", false, solve.JSONUsage)
	o.nats.Register(c)
	return c
}

func (o *solveOptions) run(ctx context.Context, a *cli.App) error {
	if err := cmp.Or(
		cli.Want(o.pieces >= 4 && o.pieces <= tables.MaxTablePieces, "--pieces", o.pieces, fmt.Sprintf("4 to %d", tables.MaxTablePieces)),
		cli.Want(o.samples >= 0, "--compare", o.samples, "0 or more"),
	); err != nil {
		return err
	}
	dir, err := a.Store()
	if err != nil {
		return err
	}
	work := workers.Coordination{
		Title: fmt.Sprintf("solve watchyourback --pieces %d", o.pieces),
		Kind:  wybbook.Jobs, Memory: wybbook.Memory(o.pieces), Threads: cli.Processors,
	}
	solved, err := solve.Run(ctx, a, &o.nats, work, func(f farm.Farm, p *farm.Progress) ([]wybbook.Solved, error) {
		return wybbook.Solve(ctx, dir, o.pieces, o.samples, f, p)
	})
	var solving, packing, checking time.Duration
	for _, t := range solved {
		solving, packing, checking = solving+t.Solving, packing+t.Packing, checking+t.Checking
		if t.Old && !o.json {
			fmt.Fprintf(a.Stdout, "%s exists already\n", t.Header.Name)
		} else if err := solve.PrintTable(a, t.Header); err != nil {
			return err
		}
	}
	if total := solving + packing + checking; total > 0 {
		fmt.Fprintf(a.Stdout, "processor time: %.1f s solving, %.1f s packing, %.1f s checking\n",
			solving.Seconds(), packing.Seconds(), checking.Seconds())
	}
	return err
}
