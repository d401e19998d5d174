package books

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
)

func newImportCmd(a *cli.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Begin a book from its text",
		Long: `Reads what book export wrote, - from standard input, checks every line and
writes a new working store. Into a book that exists, merge it.`,
		Example: "  endwise book import book.txt --book imported",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			in, name := a.Stdin, "standard input"
			if rest[0] != "-" {
				f, err := os.Open(rest[0])
				if err != nil {
					return cli.BadInput(err)
				}
				defer f.Close()
				in, name = f, rest[0]
			}
			b, err := opening.ReadText(cmd.Context(), in, name, bookGame)
			if err != nil {
				if errors.Is(err, context.Canceled) {
					return err
				}
				return cli.BadInput(err)
			}
			h := b.Header()
			if dir == "" {
				if dir, err = workingBook(a, h.Game, h.Board); err != nil {
					return err
				}
			}
			if opening.Exists(dir) {
				return cli.BadInput(fmt.Errorf("%s: there is a book already: import into another directory with --book and merge it", dir))
			}
			if err := b.Import(dir); err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s: %s of %s %s\n", dir, cli.Count(b.Len(), "position"), h.Game, h.Board)
			return nil
		},
	}
	c.Flags().StringVar(&dir, "book", "", cli.BookUsage+bookDefault)
	return c
}
