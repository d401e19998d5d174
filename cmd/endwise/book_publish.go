package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"endwise/book/opening"
)

func newBookPublishCmd(a *app) *cobra.Command {
	var place bookPlace
	c := &cobra.Command{
		Use:   "publish GAME",
		Short: "Write the compact, immutable book that players open",
		Long: `Writes the book as a table of the store, opening-GAME-BOARD, in place of an
earlier one. Players that have that one open keep it until they are started
again. The working store may be growing at the same time.`,
		Example: "  endwise book publish circuitwars",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := gameNamed(rest[0])
			if err != nil {
				return err
			}
			b, err := place.read(a, g)
			if err != nil {
				return err
			}
			return a.publishBook(cmd.Context(), b)
		},
	}
	place.register(c)
	return c
}

func (a *app) publishBook(ctx context.Context, b *opening.Book) error {
	dir, err := a.store()
	if err != nil {
		return err
	}
	h, err := b.Publish(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: %d positions, %d bytes (%.1f a position), sha256 %s\n",
		h.Name, b.Len(), h.Bytes(), float64(h.Bytes())/float64(b.Len()), h.SHA256)
	return nil
}
