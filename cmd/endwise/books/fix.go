package books

import (
	"fmt"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
)

func newFixCmd(a *cli.App) *cobra.Command {
	var place bookPlace
	c := &cobra.Command{
		Use:   "fix GAME",
		Short: "Repair the working store of a book",
		Long: `Corrects what the rules alone decide, and removes damaged positions and those
whose proofs contradict each other: nothing says which of them is wrong. The
moves that led to them keep what their own evaluation said; growing the book
evaluates them again. The file as it was is kept beside the new one. A published
book is repaired by publishing it again.`,
		Example: "  endwise book fix circuitwars",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := cli.GameNamed(rest[0])
			if err != nil {
				return err
			}
			dir, err := place.working(a, g)
			if err != nil {
				return err
			}
			kept, removed, err := opening.Fix(cmd.Context(), dir, g.Game, func(p opening.Problem) { fmt.Fprintln(a.Stdout, p) })
			if err != nil {
				return bookError(err)
			}
			fmt.Fprintf(a.Stdout, "%s: %d positions kept, %d removed\n", dir, kept, removed)
			return nil
		},
	}
	place.register(c)
	return c
}
