package tables

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/solver/farm"
)

func NewVerifyCmd(a *cli.App) *cobra.Command {
	var deep bool
	c := &cobra.Command{
		Use:   "verify [TABLE…]",
		Short: "Check solved tables and published books: checksums, digests, values against another method",
		Long: `Reads every block of the tables and published opening books (all in the store,
or those named), prints everything that is wrong with them, and works a share of
the values out again by plain minimax that shares no code with the solvers.

A table of other rules or another solver than this program's is told apart from
a damaged one: the former is left out by the players until it is solved again,
the latter may come from a failing disk.

With --deep every value is worked out again: boards of Circuit Wars and Dots and
Boxes up to 31 segments and the 6x6 board of Watch Your Back up to 5 pieces by
the plain solver, endings by solving them anew, larger tables by a million
samples, books wherever the plain solver reaches. A 3x3 board takes about half a
minute of processor time, and memory is up to two bytes for every set of
segments, 32 MB for 3x3 and 4 GB for 3x4.

Exit code 0 if all is well, 1 if anything is wrong or of another version.`,
		Example: "  endwise verify\n  endwise verify circuitwars-board-3x3 --deep",
		RunE: func(cmd *cobra.Command, names []string) error {
			dir, err := a.Store()
			if err != nil {
				return err
			}
			list, err := verifiable(dir)
			if err != nil {
				return err
			}
			for _, name := range names {
				if !slices.ContainsFunc(list, func(l store.Listing) bool { return l.Name == name }) {
					return cli.BadInput(fmt.Errorf("no table %q in %s", name, dir))
				}
			}
			if len(list) == 0 {
				fmt.Fprintf(a.Stdout, "no tables in %s\n", dir)
			}
			extent := book.Share
			if deep {
				extent = book.Whole
			}
			damaged, foreign := 0, 0
			for _, l := range list {
				if len(names) > 0 && !slices.Contains(names, l.Name) {
					continue
				}
				state, err := verifyTable(cmd.Context(), a, l, extent)
				switch {
				case err != nil:
					return err
				case state == tableDamaged:
					damaged++
				case state == tableForeign:
					foreign++
				}
			}
			switch {
			case damaged > 0 && foreign > 0:
				return fmt.Errorf("verify: tables with problems: %d, of another version: %d", damaged, foreign)
			case damaged > 0:
				return fmt.Errorf("verify: tables with problems: %d", damaged)
			case foreign > 0:
				return fmt.Errorf("verify: tables of another version: %d", foreign)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&deep, "deep", false, "work every value out again, not only a share: minutes to hours")
	return c
}

// verifiable lists the finished tables and published books of a store, those
// that were unpacked from the program included.
func verifiable(dir string) ([]store.Listing, error) {
	list, err := store.List(dir)
	if err != nil {
		return nil, err
	}
	starter, err := store.List(filepath.Join(dir, book.StarterDir))
	if err != nil {
		return nil, err
	}
	for _, l := range starter {
		l.Name = book.StarterDir + "/" + l.Name
		list = append(list, l)
	}
	return slices.DeleteFunc(list, func(l store.Listing) bool { return l.Building }), nil
}

// tableState is what verify found.
type tableState int

const (
	tableSound tableState = iota
	tableForeign
	tableDamaged
)

// verifyTable checks one table and prints what it finds. The error is the
// context's.
func verifyTable(ctx context.Context, a *cli.App, l store.Listing, extent book.Extent) (state tableState, err error) {
	problem := func(err error) {
		if errors.Is(err, store.ErrForeign) {
			state = max(state, tableForeign)
		} else {
			state = tableDamaged
		}
		fmt.Fprintf(a.Stdout, "%s: %v\n", l.Name, err)
	}
	t, err := store.Open(l.Path, store.Options{CacheBytes: -1})
	if err != nil {
		problem(err)
		return state, nil
	}
	var p farm.Progress
	stop := a.ShowProgress(&p)
	defer stop(nil)
	p.Begin("read "+l.Name, "blocks", 0, t.Header().Blocks)
	err = t.Verify(ctx, problem, func(done, _ uint64) { p.Set(done) })
	if cerr := t.Close(); err == nil && cerr != nil {
		problem(cerr)
	}
	if err != nil {
		return state, err
	}
	if state != tableSound {
		return state, nil
	}
	if err := cli.BookGames().CheckVersion(l.Path, l.Header); err != nil {
		stop(nil)
		problem(fmt.Errorf("whole, but %w", err))
		return state, nil
	}
	checked, err := cli.BookGames().CheckTable(ctx, l.Path, l.Header, extent, &p)
	if cause := ctx.Err(); err != nil && cause != nil && errors.Is(err, cause) {
		return state, err
	}
	stop(nil)
	if err != nil {
		problem(err)
		return state, nil
	}
	again := fmt.Sprintf("%d values worked out again", checked)
	if checked == 0 {
		again = "no proved values to work out again"
	}
	fmt.Fprintf(a.Stdout, "%s: ok, %d positions, %s, digest %s\n", l.Name, l.Header.Positions, again, l.Header.SHA256)
	return state, nil
}
