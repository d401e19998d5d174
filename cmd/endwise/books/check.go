package books

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
)

// checkedBook is the result of checking or repairing one book.
type checkedBook struct {
	book     string // directory
	checked  int    // number of positions, removed ones included
	removed  int
	problems []string
}

func newCheckCmd(a *cli.App) *cobra.Command {
	var (
		place bookPlace
		fix   bool
	)
	c := &cobra.Command{
		Use:   "check GAME [BOARD]",
		Short: "Find everything that is wrong with a book, and repair it",
		Long: `Reads the working books and the published books of the game, or of one board, and
prints every problem: damaged bytes, positions that are not canonical, illegal or
missing moves, contradicting proofs, and values that do not follow from the moves.

With --fix the working book, which must not be growing, is repaired: what follows
from the rules is corrected, and damaged positions and those with contradicting
proofs are removed. The moves that led to them keep their own evaluation; growing
the book evaluates them again. The old file is kept next to the new one. To repair a
published book, publish it again.

Exit code 0 if the book is sound or was repaired, 1 if something is wrong.`,
		Example: "  endwise book check circuitwars\n  endwise book check circuitwars --fix",
		Args:    cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := a.Games.Named(rest[0])
			if err != nil {
				return err
			}
			if _, err := place.afterGame(rest[1:], 0); err != nil {
				return err
			}
			checked, err := place.check(cmd.Context(), a, g, fix)
			if err != nil {
				return bookError(err)
			}
			return printChecked(a.Stdout, checked, fix)
		},
	}
	place.register(c)
	c.Flags().Lookup("board").Usage = cli.BoardUsage + " (default all books of the game in the store; with --fix the game's usual board)"
	c.Flags().BoolVar(&fix, "fix", false, "repair the working book")
	return c
}

// check checks the working book and, without --book, the published book, as far as they exist; without
// --board and --book those of all boards. If fix is true, it repairs the working book instead.
func (f *bookPlace) check(ctx context.Context, a *cli.App, g cli.Game, fix bool) ([]checkedBook, error) {
	working, err := f.working(a, g)
	if err != nil {
		return nil, err
	}
	if fix {
		one := checkedBook{book: working}
		kept, removed, err := opening.Fix(ctx, working, g.Game, one.report)
		one.checked, one.removed = kept+removed, removed
		return []checkedBook{one}, err
	}
	places := []*bookPlace{f}
	if f.board == "" && f.dir == "" {
		if places, err = allBooks(a, g); err != nil {
			return nil, err
		}
	}
	var all []checkedBook
	for _, place := range places {
		checked, err := place.checkBoard(ctx, a, g)
		if err != nil {
			return nil, err
		}
		all = append(all, checked...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", working, opening.ErrMissing)
	}
	return all, nil
}

// allBooks returns the places of a game's books in the store, one for each board.
func allBooks(a *cli.App, g cli.Game) (all []*bookPlace, err error) {
	dir, err := a.Store()
	if err != nil {
		return nil, err
	}
	var boards []string
	for _, prefix := range []string{filepath.Join(dir, "books", g.Name()+"-"), store.Dir(dir, opening.TableName(g.Name(), ""))} {
		found, err := filepath.Glob(prefix + "*")
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			board := strings.TrimPrefix(path, prefix)
			if name, err := BoardName(g, board); err == nil && name == board && !slices.Contains(boards, board) {
				boards, all = append(boards, board), append(all, &bookPlace{board: board})
			}
		}
	}
	return all, nil
}

// checkBoard is [bookPlace.check] for one board, without repair.
func (f *bookPlace) checkBoard(ctx context.Context, a *cli.App, g cli.Game) (all []checkedBook, err error) {
	working, err := f.working(a, g)
	if err != nil {
		return nil, err
	}
	if opening.Exists(working) {
		one := checkedBook{book: working}
		if one.checked, err = opening.Check(ctx, working, g.Game, one.report); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if f.dir == "" {
		one := checkedBook{}
		if one.book, err = f.published(a, g); err != nil {
			return nil, err
		}
		if _, err := os.Stat(one.book); err == nil {
			report := func(err error) { one.problems = append(one.problems, err.Error()) }
			if one.checked, err = opening.CheckPublished(ctx, one.book, g.Game, report, nil); err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

func (c *checkedBook) report(p opening.Problem) { c.problems = append(c.problems, p.String()) }

// printChecked prints the problems and the counts of each book. Problems are an error unless fixed is set.
func printChecked(w io.Writer, all []checkedBook, fixed bool) error {
	found := 0
	for _, c := range all {
		found += len(c.problems)
		for _, p := range c.problems {
			fmt.Fprintln(w, p)
		}
		if fixed {
			fmt.Fprintf(w, "%s: %s kept, %s removed\n", c.book, cli.Count(c.checked-c.removed, "position"), engine.Digits(c.removed))
		} else {
			fmt.Fprintf(w, "%s: %s checked\n", c.book, cli.Count(c.checked, "position"))
		}
	}
	if found > 0 && !fixed {
		return fmt.Errorf("%s found; --fix repairs a working book", cli.Count(found, "problem"))
	}
	return nil
}
