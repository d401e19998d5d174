package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	wybbook "endwise/book/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/watchyourback/tables"
)

func newSolveWatchYourBackCmd(a *app) *cobra.Command {
	var (
		pieces, samples int
		nats            natsFlags
	)
	c := &cobra.Command{
		Use:   "watchyourback",
		Short: "Solve the 6x6 stage of Watch Your Back! for few pieces",
		Long: `Solves the last 64 turns on the 6x6 board for all positions of at most so many
pieces, both sides together, and keeps the tables in the store. The 4x4 board
behind them takes a tenth of a second and is worked out whenever it is needed.

Interrupted, the same command goes on where it stopped.`,
		Example: "  endwise solve watchyourback\n  endwise solve watchyourback --pieces 6",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pieces < 4 || pieces > tables.MaxTablePieces {
				return badInput(fmt.Errorf("--pieces %d: want 4 to %d", pieces, tables.MaxTablePieces))
			}
			if samples < 0 {
				return badInput(fmt.Errorf("--samples %d: want 0 or more", samples))
			}
			dir, err := a.store()
			if err != nil {
				return err
			}
			o := coordination{fmt.Sprintf("solve watchyourback --pieces %d", pieces), wybbook.Jobs, wybbook.Memory(pieces), runtime.GOMAXPROCS(0)}
			var tables []wybbook.Solved
			err = a.offline(cmd.Context(), &nats, o, func(f farm.Farm, p *farm.Progress) (err error) {
				tables, err = wybbook.Solve(cmd.Context(), dir, pieces, samples, f, p)
				return err
			})
			for _, t := range tables {
				if t.Old {
					fmt.Fprintf(a.stdout, "%s is there already\n", t.Header.Name)
				} else if err := printTable(a.stdout, t.Header); err != nil {
					return err
				}
			}
			return err
		},
	}
	c.Flags().IntVar(&pieces, "pieces", 5, "most pieces of both sides together")
	c.Flags().IntVar(&samples, "samples", 20000, "positions of each table to compare with a plain search")
	nats.register(c)
	return c
}
