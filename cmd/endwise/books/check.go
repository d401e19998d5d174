package books

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/opening"
	"endwise/book/opening/published"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/progress"
	"endwise/engine"
	"endwise/solver/farm"
)

// checkedBook is what check found in one book.
type checkedBook struct {
	Book              string   `json:"book"` // its directory
	Checked           int      `json:"positions"`
	Removed           int      `json:"removed"` // with --fix
	Problems          []string `json:"problems"`
	*opening.Recurred          // with --sample
}

func newCheckCmd(a *cli.App) *cobra.Command {
	var (
		place       bookPlace
		fix, asJSON bool
		sample      cli.Share
	)
	c := &cobra.Command{
		Use:   "check GAME",
		Short: "Find everything that is wrong with a book, and repair it",
		Long: `Reads the working store and the published book, those of the two that exist,
and prints every problem: damaged bytes, positions that are not canonical,
moves that are not legal or left out, proofs that contradict each other, and
values that do not follow from the moves.

With --fix the working store is repaired: what the rules alone decide is put
right, and damaged positions and those whose proofs contradict each other are
removed, for nothing says which of them is wrong. The moves that led to them keep
what their own evaluation said; growing the book evaluates them again. The file
as it was is kept beside the new one. A published book is repaired by publishing
it again.

With --sample a share of the evaluations that recur (book grow
--nodes-per-position) is worked out again, and their nodes and values compared.
Those of other searches (endwise version) and those that had a time are counted.

Exit code 0 if all is well or was repaired, 1 if something is wrong.`,
		Example: "  endwise book check circuitwars\n  endwise book check circuitwars --fix",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := cli.GameNamed(rest[0])
			if err != nil {
				return err
			}
			if fix && sample > 0 {
				return cli.BadInput(errors.New("--sample: not with --fix"))
			}
			working, err := place.working(a, g)
			if err != nil {
				return err
			}
			players, err := place.published(a, g)
			if err != nil {
				return err
			}
			var all []checkedBook
			if opening.Exists(working) || fix {
				one, err := checkWorking(cmd.Context(), working, g.Game, fix)
				if err != nil {
					return bookError(err)
				}
				if sample > 0 && len(one.Problems) == 0 {
					if err := one.recur(cmd.Context(), a, g, sample); err != nil {
						return bookError(err)
					}
				}
				all = append(all, one)
			}
			if _, err := os.Stat(players); err == nil && place.dir == "" && !fix {
				one := checkedBook{Book: players, Problems: []string{}}
				if one.Checked, err = published.Check(cmd.Context(), players, g.Game, func(err error) { one.Problems = append(one.Problems, err.Error()) }, nil); err != nil {
					return bookError(err)
				}
				all = append(all, one)
			}
			if len(all) == 0 {
				return bookError(fmt.Errorf("%s: %w", working, opening.ErrMissing))
			}
			return printChecked(a.Stdout, all, fix, asJSON)
		},
	}
	place.register(c)
	c.Flags().BoolVar(&fix, "fix", false, "repair the working store")
	c.Flags().Var(&sample, "sample", cli.SampleUsage+"; of evaluations that recur")
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	return c
}

func (c *checkedBook) report(p opening.Problem) { c.Problems = append(c.Problems, fmt.Sprint(p)) }

// recur works a share of the evaluations of a working store out again.
func (c *checkedBook) recur(ctx context.Context, a *cli.App, g cli.Game, sample cli.Share) error {
	b, err := opening.Read(c.Book, g.Game, "")
	if err != nil {
		return err
	}
	var p farm.Progress
	defer progress.Show(a.Stderr, &p)(nil)
	begin := book.Stage(&p, "work out again", "positions")
	r, err := b.Recur(ctx, g.SearchVersion(), float64(sample), func(nodes uint64) opening.Evaluator { return book.Recurring(g.Sources, nodes) },
		c.report, func(done, total int) { begin(uint64(done), uint64(total)) })
	c.Recurred = &r
	return err
}

// checkWorking checks or repairs a working store.
func checkWorking(ctx context.Context, dir string, g engine.Game, fix bool) (checkedBook, error) {
	one := checkedBook{Book: dir, Problems: []string{}}
	var err error
	if !fix {
		one.Checked, err = opening.Check(ctx, dir, g, one.report)
		return one, err
	}
	kept, removed, err := opening.Fix(ctx, dir, g, one.report)
	one.Checked, one.Removed = kept+removed, removed
	return one, err
}

// printChecked prints what was found; problems that were left are an error.
func printChecked(w io.Writer, all []checkedBook, fixed, asJSON bool) error {
	found := 0
	for _, c := range all {
		found += len(c.Problems)
	}
	if asJSON {
		if err := cli.WriteJSON(w, all); err != nil {
			return err
		}
	} else {
		for _, c := range all {
			for _, p := range c.Problems {
				fmt.Fprintln(w, p)
			}
			if fixed {
				fmt.Fprintf(w, "%s: %s kept, %d removed\n", c.Book, cli.Count(c.Checked-c.Removed, "position"), c.Removed)
			} else {
				fmt.Fprintf(w, "%s: %s checked\n", c.Book, cli.Count(c.Checked, "position"))
			}
			if r := c.Recurred; r != nil {
				fmt.Fprintf(w, "%d worked out again, %d of them differ; %d of other searches and %d that had a time can't be compared\n", r.Again, r.Differ, r.Foreign, r.Timed)
			}
		}
	}
	if found > 0 && !fixed {
		return fmt.Errorf("%s found; --fix repairs a working store", cli.Count(found, "problem"))
	}
	return nil
}
