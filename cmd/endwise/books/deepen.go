package books

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
)

func newDeepenCmd(a *cli.App) *cobra.Command {
	var (
		place bookPlace
		evals bookEvaluators
	)
	c := &cobra.Command{
		Use:   "deepen GAME [POSITION]",
		Short: "Evaluate a line that somebody doubts again",
		Long: `Evaluates the position (the empty board if none is given) and the line of best
play that the book expects from it again, usually with more time. What the new
evaluations say replaces what the former ones said, proofs included. When
another line becomes best it is followed too.`,
		Example: "  endwise book deepen circuitwars \"7x7 3,3,top\" --time 20s",
		Args:    cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) (err error) {
			g, p, err := place.position(a, rest)
			if err != nil {
				return err
			}
			eval, closeAll, err := evals.open(cmd.Context(), a, g)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, closeAll()) }()
			b, err := place.open(a, g)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, b.Close()) }()
			scale := proofScale(g.Game)
			return bookError(b.Deepen(cmd.Context(), p, eval[0], func(d opening.Deepened) {
				fmt.Fprintf(a.Stdout, "%s: %s, was %s\n", d.Position, d.After.Words(scale), d.Before.Words(scale))
			}))
		},
	}
	place.register(c)
	evals.register(c, false)
	return c
}
