package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/solver/farm"
)

func newVerifyCmd(a *cli.App) *cobra.Command {
	var deep, json bool
	var claims claimsOptions
	c := &cobra.Command{
		Use:   "verify [TABLE…]",
		Short: "Check tables, published books and claims files",
		Long: `Reads every block of the tables and published opening books (all in the store, or
those named), prints everything that is wrong with them, and recomputes a share of
the values: most from the table's values after each move, some by plain minimax
that shares no code with the solvers.

A table for other rules or by another solver is not reported as damaged: players
ignore it until it is solved again. Damage may come from a failing disk.

With --deep every value is recomputed where that is possible: boards of Circuit Wars
and Dots and Boxes up to 31 segments and the 6x6 board of Watch Your Back up to 5
pieces by the plain solver, endings by solving them again, and in books the positions
within its reach. In larger tables it recomputes a million values in Watch Your Back,
and the usual share in the other games. A 3x3 board takes about half a minute
of processor time. The memory is up to two bytes per set of segments, 32 MB for 3x3
and 4 GB for 3x4.

With --claims it reads a claims file, which prove --leaves writes, checks that the
board's value follows from the claims in it, and solves --sample random ones anew.
With --checker it writes a certificate of those that are quickly solved and passes
it to that command, for instance --checker "python3 cmd/checkproof/checkproof.py".

Exit code 0 if all is well, 1 if anything is wrong or of another version.`,
		Example: "  endwise verify\n  endwise verify circuitwars-board-3x3 --deep\n  endwise verify --claims data/results/dotsandboxes-4x5.claims.gz --sample 10",
		RunE: func(cmd *cobra.Command, names []string) error {
			if claims.file != "" {
				if deep || json || len(names) > 0 {
					return cli.BadInput(errors.New("--claims cannot be combined with a table, --deep or --json"))
				}
				return claims.verify(cmd.Context(), a.Games, a.Stdout)
			}
			extent := book.Share
			if deep {
				extent = book.Whole
			}
			return verifyTables(cmd.Context(), a.WithJSON(json), names, extent)
		},
	}
	c.Flags().BoolVar(&deep, "deep", false, "recompute every value where possible, not only a share: minutes to hours")
	c.Flags().BoolVar(&json, "json", false, cli.JsonUsage+": an object per table; other text is on standard error")
	c.Flags().StringVar(&claims.file, "claims", "", "check this claims file instead of tables")
	c.Flags().IntVar(&claims.sample, "sample", 10, "with --claims: number of claims to solve anew")
	c.Flags().Uint64Var(&claims.seed, "seed", 1, "with --claims: "+cli.SeedUsage)
	c.Flags().IntVar(&claims.hashMB, "hash", 256, "with --claims: "+cli.HashUsage)
	c.Flags().StringVar(&claims.checker, "checker", "", "with --claims: command that checks certificates of claims")
	return c
}

// verifyTables checks and prints the tables in names, or all. Those that are not sound are an error.
func verifyTables(ctx context.Context, a *cli.App, names []string, extent book.Extent) error {
	dir := a.StoreIfAny()
	if dir == "" {
		return nil
	}
	list, err := verifiable(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(list, func(l store.Listing) bool { return l.Name == name }) {
			hint := ""
			if _, err := os.Stat(name); err == nil {
				hint = "; if it is a certificate, check it with checkproof, if it is a claims file, with --claims"
			}
			return cli.BadInput(fmt.Errorf("no table %q in %s%s", name, dir, hint))
		}
	}
	if len(list) == 0 {
		fmt.Fprintf(a.Stdout, "no tables in %s\n", dir)
	}
	count := map[string]int{} // of tables by state
	for _, l := range list {
		if len(names) > 0 && !slices.Contains(names, l.Name) {
			continue
		}
		v := verified{Name: l.Name, Path: l.Path, State: tableSound}
		if err := v.verify(ctx, a, l, extent); err != nil {
			return err
		}
		count[v.State]++
		if err := v.print(a); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		if err := printUnchecked(a, dir); err != nil {
			return err
		}
	}
	var wrong []string
	for _, state := range []string{tableUnsound, tableForeign} {
		if n := count[state]; n > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d", state, n))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("verify: tables %s", strings.Join(wrong, ", "))
	}
	return nil
}

// printUnchecked names the growing books and values, which verify does not check.
func printUnchecked(a *cli.App, dir string) error {
	rows, err := storedRows(a.Games, dir, nil)
	if err != nil || len(rows) == 0 {
		return err
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	text := "not checked here: " + strings.Join(names, ", ") + "; solve --value and book check read these"
	_, err = fmt.Fprintln(a.Stdout, cli.Wrap(text, "", a.Columns()))
	return err
}

// verifiable returns the finished tables and published books in dir. The names of unpacked embedded
// books begin with their directory.
func verifiable(dir string) ([]store.Listing, error) {
	list, err := store.List(dir)
	if err != nil {
		return nil, err
	}
	starter, err := store.List(filepath.Join(dir, opening.StarterDir))
	if err != nil {
		return nil, err
	}
	for _, l := range starter {
		l.Name = opening.StarterDir + "/" + l.Name
		list = append(list, l)
	}
	return slices.DeleteFunc(list, func(l store.Listing) bool { return l.Building }), nil
}

const (
	tableSound   = "ok"
	tableForeign = "of another version"
	tableUnsound = "with problems"
)

// verified is the result of checking one table.
type verified struct {
	Name       string   `json:"name"`
	State      string   `json:"state"` // tableSound, tableForeign or tableUnsound
	Problems   []string `json:"problems,omitempty"`
	Positions  uint64   `json:"positions"`  // 0 unless the table is sound
	Recomputed uint64   `json:"recomputed"` // number of values
	SHA256     string   `json:"sha256,omitempty"`
	Path       string   `json:"path"` // of its directory
}

// addProblem adds err to the problems and changes the state accordingly.
func (v *verified) addProblem(err error) {
	if !errors.Is(err, store.ErrForeign) {
		v.State = tableUnsound
	} else if v.State == tableSound {
		v.State = tableForeign
	}
	v.Problems = append(v.Problems, strings.ReplaceAll(err.Error(), v.Path+": ", "")) // the name suffices
}

// verify checks a table and recomputes values. It returns only ctx's error and records all others in v.
func (v *verified) verify(ctx context.Context, a *cli.App, l store.Listing, extent book.Extent) error {
	t, err := store.Open(l.Path, store.Options{CacheBytes: -1})
	if err != nil {
		v.addProblem(err)
		return nil
	}
	var p farm.Progress
	stop := cli.ShowProgress(a.Stderr, &p)
	defer stop(nil)
	p.Begin("read "+l.Name, "blocks", 0, t.Header().Blocks)
	err = t.Verify(ctx, v.addProblem, func(done, _ uint64) { p.Set(done) })
	if cerr := t.Close(); err == nil && cerr != nil {
		v.addProblem(cerr)
	}
	if err != nil || v.State != tableSound {
		return err
	}
	if err := a.Games.Book().CheckVersion(l.Path, l.Header); err != nil {
		v.addProblem(fmt.Errorf("whole, but %w", err))
		return nil
	}
	v.Recomputed, err = a.Games.Book().CheckTable(ctx, l.Path, l.Header, extent, &p)
	if cause := ctx.Err(); err != nil && cause != nil && errors.Is(err, cause) {
		return err
	}
	if err != nil {
		v.addProblem(err)
		return nil
	}
	v.Positions, v.SHA256 = l.Header.Positions, l.Header.SHA256
	return nil
}

func (v *verified) print(a *cli.App) error {
	if a.JSON != nil {
		return cli.WriteJSON(a.JSON, v)
	}
	for _, p := range v.Problems {
		fmt.Fprintf(a.Stdout, "%s: %s\n", v.Name, p)
	}
	if v.State != tableSound {
		return nil
	}
	again := cli.Count(int(v.Recomputed), "value") + " recomputed"
	if v.Recomputed == 0 {
		again = "all checksums match, no value recomputed (only proved values of late positions are)"
	}
	_, err := fmt.Fprintf(a.Stdout, "%s: ok, %s, %s, digest %s\n", v.Name, cli.Count(int(v.Positions), "position"), again, v.SHA256)
	return err
}
