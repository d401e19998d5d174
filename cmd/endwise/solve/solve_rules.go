package solve

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"endwise/book/anygame"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/workers"
	"endwise/engine"
	"endwise/solver/farm"
)

// NewCmd is the solve command of a game without a solver of its own.
func NewCmd(g engine.CanonicalGame) func(*cli.App) *cobra.Command {
	return func(a *cli.App) *cobra.Command {
		var board string
		c := &cobra.Command{
			Use:   g.Name() + " [--board B]",
			Short: fmt.Sprintf("Solve %s: every position of a board", g.Title()),
			Long: fmt.Sprintf(`Works out the value of every position of %s that can be reached on a board, by
minimax over canonical positions, and stores them as a table. It uses one thread
and some 100 bytes of memory a position, and stops at 50 million.

The work can be stopped at any time (Ctrl-C); the same command goes on where
it was. At the end a share of the entries is worked out again by plain minimax.`, g.Title()),
			Example: "  endwise solve " + g.Name(),
			Args:    cli.Args(cobra.NoArgs),
			RunE: func(cmd *cobra.Command, _ []string) error {
				dir, err := a.Store()
				if err != nil {
					return err
				}
				start, err := g.Start(board)
				if err != nil {
					return cli.BadInput(err)
				}
				if _, ok := start.(engine.Canonical); !ok {
					return cli.BadInput(errors.New("this game's positions have no canonical keys"))
				}
				return Table(cmd.Context(), a, &workers.NatsFlags{}, workers.Coordination{}, func(_ farm.Farm, p *farm.Progress) (*store.Header, error) {
					return anygame.SolvePositions(cmd.Context(), dir, g, board, p)
				})
			},
		}
		c.Flags().StringVar(&board, "board", "", cli.BoardUsage+" (default the game's usual one)")
		return c
	}
}
