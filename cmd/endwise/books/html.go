package books

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

func newHTMLCmd(a *cli.App) *cobra.Command {
	var (
		place bookPlace
		limit int
	)
	c := &cobra.Command{
		Use:   "html GAME DIR",
		Short: "Write a book as web pages that need no server",
		Long: `Writes a page for every position of the working store: the board with its
moves coloured by what they give up, the list of moves with what stands behind
their values, and links to the positions after and before it. Open
DIR/index.html in a browser; no server is needed.`,
		Example: "  endwise book html circuitwars site --pages 5000",
		Args:    cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := cli.GameNamed(rest[0])
			if err != nil {
				return err
			}
			if limit < 0 {
				return cli.BadInput(fmt.Errorf("--nodes %d: want 0 or more", limit))
			}
			b, err := place.read(a, g)
			if err != nil {
				return err
			}
			last := time.Now()
			n, err := b.WriteSite(cmd.Context(), rest[1], limit, func(done, total int) {
				if now := time.Now(); now.Sub(last) >= cli.ProgressEvery {
					last = now
					fmt.Fprintf(a.Stderr, "%d of %d pages\n", done, total)
				}
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s: %d pages\n", filepath.Join(rest[1], "index.html"), n)
			return nil
		},
	}
	place.register(c)
	c.Flags().IntVar(&limit, "pages", 0, "at most this many pages, the positions nearest to the start (default all)")
	return c
}
