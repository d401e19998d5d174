package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
)

// starters returns the starter tables of all games, the quickest first.
func starters(games cli.Games) []cli.Starter {
	var out []cli.Starter
	for _, g := range games {
		for _, s := range g.Starters {
			s.Game = g
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y cli.Starter) int { return cmp.Compare(x.Seconds, y.Seconds) })
	return out
}

func newBuildCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Solve and verify the starter tables",
		Long: `Solves and verifies the tables that every installation should have, the
quickest first, and prints the best move in a position of each game. Tables that
are in the store are kept; the same command resumes after an interruption.`,
		Example: "  endwise build",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Resumable(build(cmd.Context(), a))
		},
	}
}

func build(ctx context.Context, a *cli.App) error {
	start := time.Now()
	dir, err := a.Store()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "Starter tables in %s\n", dir)
	before, err := finishedTables(dir)
	if err != nil {
		return err
	}
	if n := len(before); n > 0 {
		fmt.Fprintf(a.Stdout, "in the store already: %s\n", cli.Count(n, "table"))
	}
	example := ""
	for _, s := range starters(a.Games) {
		begin := time.Now()
		if _, err := runCommand(ctx, a, append([]string{"solve", s.Game.Name()}, s.Flags...)); err != nil {
			return err
		}
		now, err := finishedTables(dir)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if h := now[name]; before[name] == nil {
				fmt.Fprintf(a.Stdout, "solved %s: %s positions, verified, %s\n",
					name, cli.Amount(h.Positions), cli.Duration(time.Since(begin)))
			}
		}
		before = now
		if s.Answers {
			if err := printExample(ctx, a, s.Game); err != nil {
				return err
			}
			example = cmp.Or(example, fmt.Sprintf("endwise query %s %q", s.Game.Name(), s.Game.Example))
		}
	}
	_, err = fmt.Fprintf(a.Stdout, "Built in %s. Next: endwise serve, endwise status, or an example again:\n  %s\n",
		cli.Duration(time.Since(start)), example)
	return err
}

// printExample prints the best move and the result in the example of a game.
func printExample(ctx context.Context, a *cli.App, g cli.Game) error {
	answer, err := runCommand(ctx, a, []string{"query", g.Name(), g.Example, "--json"})
	if err != nil {
		return err
	}
	var d engine.Decision
	if err := json.Unmarshal([]byte(answer), &d); err != nil {
		return fmt.Errorf("query: %w", err)
	}
	p, err := g.Parse(g.Example)
	if err != nil {
		return err
	}
	example := fmt.Sprintf("%s example: %s. %s", g.Title(), d.Move, cli.Outcome(g, p, d))
	_, err = fmt.Fprintln(a.Stdout, cli.Wrap(example, "  ", a.Columns()))
	return err
}

// finishedTables returns the headers of the finished tables in dir by name, without books.
func finishedTables(dir string) (map[string]*store.Header, error) {
	list, err := store.List(dir)
	out := map[string]*store.Header{}
	for _, l := range list {
		if l.Header != nil && !strings.HasPrefix(l.Name, "opening-") {
			out[l.Name] = l.Header
		}
	}
	return out, err
}

// runCommand runs a command with the same store and returns its output. It shows only the progress bar.
func runCommand(ctx context.Context, a *cli.App, args []string) (string, error) {
	var out strings.Builder
	sub := *a
	sub.Stdout = &out
	sub.Stderr = cli.BarOnly{Writer: a.Stderr}
	root := newRootCmd(&sub)
	root.SetArgs(append(args, "--store", a.StoreDir))
	err := root.ExecuteContext(ctx)
	return out.String(), err
}
