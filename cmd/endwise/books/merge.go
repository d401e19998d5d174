package books

import (
	"fmt"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
)

func newMergeCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "merge A B…",
		Short: "Put books into another one",
		Long: `Adds the positions of the working books B to the working book A, all of them
directories. For a position in both, all proofs are kept, and the estimates of the
evaluation that took longer. The books B may be growing, but A must not.`,
		Example: "  endwise book merge books/circuitwars-7x7 OTHER-BOOK",
		Args:    cli.Args(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, rest []string) (err error) {
			h, err := opening.ReadHeader(rest[0])
			if err != nil {
				return bookError(err)
			}
			g, err := a.Games.Named(h.Game)
			if err != nil {
				return err
			}
			b, err := opening.Open(rest[0], g.Game, h.Board)
			if err != nil {
				return bookError(err)
			}
			defer func() { err = closeBook(b, err) }()
			for _, dir := range rest[1:] {
				other, err := opening.Read(dir, g.Game, h.Board)
				if err != nil {
					return bookError(err)
				}
				m, err := b.Merge(cmd.Context(), other)
				if err != nil {
					return fmt.Errorf("merge %s: %w", dir, bookError(err))
				}
				fmt.Fprintf(a.Stdout, "%s: %s, %s improved\n", dir, cli.Count(m.Added, "new position"), engine.Digits(m.Improved))
			}
			fmt.Fprintf(a.Stdout, "%s: %s\n", rest[0], cli.Count(b.Len(), "position"))
			return nil
		},
	}
}
