package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/engine"
	"endwise/engine/disk"
)

func newBookExportCmd(a *app) *cobra.Command {
	var place bookPlace
	c := &cobra.Command{
		Use:   "export GAME [FILE]",
		Short: "Write a book as text",
		Long: `Writes every position of the working store as a line of text, sorted, with a
digest at the end, to FILE or to standard output. The same positions give the
same text, byte for byte; book import reads it back.`,
		Example: "  endwise book export circuitwars book.txt",
		Args:    args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := gameNamed(rest[0])
			if err != nil {
				return err
			}
			b, err := place.read(a, g)
			if err != nil {
				return err
			}
			if len(rest) == 1 || rest[1] == "-" {
				return b.Export(cmd.Context(), a.stdout)
			}
			return disk.WriteFile(rest[1], 0o644, func(w io.Writer) error { return b.Export(cmd.Context(), w) })
		},
	}
	place.register(c)
	return c
}

func newBookImportCmd(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Begin a book from its text",
		Long: `Reads what book export wrote, - from standard input, checks every line and
writes a new working store. Into a book that exists, merge it.`,
		Example: "  endwise book import book.txt --book imported",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			in, name := a.stdin, "standard input"
			if rest[0] != "-" {
				f, err := os.Open(rest[0])
				if err != nil {
					return badInput(err)
				}
				defer f.Close()
				in, name = f, rest[0]
			}
			b, err := opening.ReadText(cmd.Context(), in, name, bookGame)
			if err != nil {
				if errors.Is(err, context.Canceled) {
					return err
				}
				return badInput(err)
			}
			h := b.Header()
			if dir == "" {
				if dir, err = a.workingBook(h.Game, h.Board); err != nil {
					return err
				}
			}
			if opening.Exists(dir) {
				return badInput(fmt.Errorf("%s: there is a book already: import into another directory with --book and merge it", dir))
			}
			if err := b.Import(dir); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s: %d positions of %s %s\n", dir, b.Len(), h.Game, h.Board)
			return nil
		},
	}
	c.Flags().StringVar(&dir, "book", "", "directory of the new working store (default books/GAME-BOARD in the store)")
	return c
}

// bookGame finds the game of a book.
func bookGame(name string) (engine.Game, error) {
	g, err := gameNamed(name)
	if err != nil {
		return nil, err
	}
	return g.Game, nil
}

func newBookMergeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "merge A B…",
		Short: "Put books into another one",
		Long: `Adds the positions of the working stores B to the working store A, all of them
directories. Of a position in both every proof is kept, and the estimates of
the evaluation that took longer.`,
		Example: "  endwise book merge books/circuitwars-7x7 from-the-other-machine",
		Args:    args(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, rest []string) (err error) {
			h, err := opening.ReadHeader(rest[0])
			if err != nil {
				return bookError(err)
			}
			g, err := bookGame(h.Game)
			if err != nil {
				return err
			}
			b, err := opening.Open(rest[0], g, h.Board)
			if err != nil {
				return bookError(err)
			}
			defer func() { err = errors.Join(err, b.Close()) }()
			for _, dir := range rest[1:] {
				other, err := opening.Read(dir, g, h.Board)
				if err != nil {
					return bookError(err)
				}
				m, err := b.Merge(cmd.Context(), other)
				if err != nil {
					return fmt.Errorf("merge %s: %w", dir, bookError(err))
				}
				fmt.Fprintf(a.stdout, "%s: %d positions new, %d known better\n", dir, m.Added, m.Improved)
			}
			fmt.Fprintf(a.stdout, "%s: %d positions\n", rest[0], b.Len())
			return nil
		},
	}
}
