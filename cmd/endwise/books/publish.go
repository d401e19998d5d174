package books

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/data"
)

const forcePublishUsage = cli.ForceUsage + "; the book that players use now, also by a smaller one"

func newPublishCmd(a *cli.App) *cobra.Command {
	var place bookPlace
	var force bool
	c := &cobra.Command{
		Use:   "publish GAME",
		Short: "Write the compact, immutable book that players open",
		Long: `Writes the book as a table of the store, opening-GAME-BOARD, in place of an
earlier one. Players that have that one open keep it until they are started
again. The working store may be growing at the same time.

A published book replaces the one that ships with the program whole. A book with
fewer positions than the one that players use now is published with --force only;
remove its directory, and players use the one that ships again.`,
		Example: "  endwise book publish circuitwars",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			_, b, err := place.named(a, rest[0])
			if err != nil {
				return err
			}
			return publishBook(cmd.Context(), a, b, force)
		},
	}
	place.register(c)
	c.Flags().BoolVar(&force, "force", false, forcePublishUsage)
	return c
}

// errLargerBook says that players use a larger book than the one to be
// published.
var errLargerBook = errors.New("--force replaces it")

// publishBook writes a book for the players and says what it replaces. Only
// with force may that be a larger one.
func publishBook(ctx context.Context, a *cli.App, b *opening.Book, force bool) error {
	dir, err := a.Store()
	if err != nil {
		return err
	}
	header := b.Header()
	old, origin, err := usedBook(dir, header.Game, header.Board)
	if err != nil {
		return err
	}
	if old > uint64(b.Len()) && !force {
		return cli.BadInput(fmt.Errorf("the book has %s, the one %s, which players use now, %d: %w", cli.Count(b.Len(), "position"), origin, old, errLargerBook))
	}
	h, err := b.Publish(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: %s, %d bytes (%.1f a position), sha256 %s\n",
		h.Name, cli.Count(b.Len(), "position"), h.Bytes(), float64(h.Bytes())/float64(b.Len()), h.SHA256)
	if origin != "" {
		fmt.Fprintf(a.Stdout, "it replaces the book %s, of %s\n", origin, cli.Count(int(old), "position"))
	}
	return nil
}

// usedBook finds the book that players use now: how many positions it has and
// where it comes from, "" where there is none. A damaged one counts as none.
func usedBook(dir, game, board string) (positions uint64, origin string, err error) {
	name := opening.TableName(game, board)
	if h, err := store.ReadHeader(store.Dir(dir, name)); err == nil {
		return h.Positions, "published before", nil
	}
	path, err := shippedBook(dir, game, board)
	if path == "" {
		return 0, "", err
	}
	h, err := store.ReadHeader(path)
	if err != nil {
		return 0, "", err
	}
	return h.Positions, "that ships with the program", nil
}

// shippedBook is the directory of the book that ships with the program, which
// is unpacked below the store's directory; "" where none ships.
func shippedBook(dir, game, board string) (string, error) {
	name := opening.TableName(game, board)
	shipped, err := opening.StarterBooks(data.Books(), game)
	if err != nil || !slices.Contains(shipped, name) {
		return "", err
	}
	return opening.Unpack(data.Books(), name, filepath.Join(dir, book.StarterDir))
}
