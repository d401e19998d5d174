package books

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
)

func newCheckCmd(a *cli.App) *cobra.Command {
	var place bookPlace
	c := &cobra.Command{
		Use:   "check GAME",
		Short: "Find everything that is wrong with a book",
		Long: `Reads the working store and the published book, those of the two that exist,
and prints every problem: damaged bytes, positions that are not canonical,
moves that are not legal or left out, proofs that contradict each other, and
values that do not follow from the moves.

Exit code 0 if all is well, 1 if something is wrong.`,
		Example: "  endwise book check circuitwars",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := cli.GameNamed(rest[0])
			if err != nil {
				return err
			}
			working, err := place.working(a, g)
			if err != nil {
				return err
			}
			published, err := place.published(a, g)
			if err != nil {
				return err
			}
			found, checked := 0, 0
			report := func(p opening.Problem) {
				found++
				fmt.Fprintln(a.Stdout, p)
			}
			if opening.Exists(working) {
				checked++
				n, err := opening.Check(cmd.Context(), working, g.Game, report)
				if err != nil {
					return bookError(err)
				}
				fmt.Fprintf(a.Stdout, "%s: %d positions checked\n", working, n)
			}
			if _, err := os.Stat(published); err == nil && place.dir == "" {
				checked++
				n, err := opening.CheckPublished(cmd.Context(), published, g.Game, report, nil)
				if err != nil {
					return bookError(err)
				}
				fmt.Fprintf(a.Stdout, "%s: %d positions checked\n", published, n)
			}
			switch {
			case checked == 0:
				return bookError(fmt.Errorf("%s: %w", working, opening.ErrMissing))
			case found > 0:
				return fmt.Errorf("%s found: see endwise book fix --help", cli.Count(found, "problem"))
			}
			return nil
		},
	}
	place.register(c)
	return c
}
