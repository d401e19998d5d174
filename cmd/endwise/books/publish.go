package books

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/disk"
)

func newPublishCmd(a *cli.App) *cobra.Command {
	var place bookPlace
	var force bool
	c := &cobra.Command{
		Use:   "publish GAME [BOARD]",
		Short: "Write the compact, immutable book that players open",
		Long: `Writes the book as a table of the store, opening-GAME-BOARD, in place of an earlier
one. Players that have the earlier one open keep it until they are restarted. The
working book may be growing at the same time.

The book adds to the embedded book: if both contain a position, the proofs of both
count, and the deeper estimate. A book with fewer positions than the published one
is published with --force only.`,
		Example: "  endwise book publish circuitwars",
		Args:    cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			if _, err := place.afterGame(rest[1:], 0); err != nil {
				return err
			}
			b, err := place.read(a, rest[0])
			if err != nil {
				return err
			}
			return publishBook(cmd.Context(), a, b, force)
		},
	}
	place.register(c)
	c.Flags().BoolVar(&force, "force", false, cli.ForceUsage+"; replace a larger published book")
	return c
}

// publishBook publishes b and prints its table. If the published book is larger, force must be set.
func publishBook(ctx context.Context, a *cli.App, b *opening.Book, force bool) error {
	dir, err := a.Store()
	if err != nil {
		return err
	}
	header := b.Header()
	old := 0 // positions of the published book; 0 if there is none, or a damaged one
	published, err := store.ReadHeader(store.Dir(dir, opening.TableName(header.Game, header.Board)))
	if disk.Unreadable(err) {
		return err
	}
	if err == nil {
		old = int(published.Positions)
	}
	if old > b.Len() && !force {
		return cli.BadInput(fmt.Errorf("the book has %s, the published one %s: --force replaces it", cli.Count(b.Len(), "position"), engine.Digits(old)))
	}
	h, err := b.Publish(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: %s, %s bytes (%.1f per position), sha256 %s\n",
		h.Name, cli.Count(b.Len(), "position"), engine.Digits(h.Bytes()), float64(h.Bytes())/float64(b.Len()), h.SHA256)
	fmt.Fprintln(a.Stdout, "players and query open it from their next start")
	if old > 0 {
		fmt.Fprintf(a.Stdout, "it replaces the published book of %s\n", cli.Count(old, "position"))
	}
	return nil
}
