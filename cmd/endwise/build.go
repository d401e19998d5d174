package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

// starters are the starter tables of all games, the quickest first.
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
		Long: `Runs the solve commands that every installation should have run once, each
the quickest first, with its progress and its verification. As soon as a game's
tables answer a position it asks for its best move; at the end it lists the
tables. Tables that are there are kept; interrupted, the same command goes on
where it stopped.`,
		Example: "  endwise build",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Resumable(build(cmd.Context(), a)) // also while it asks for a move
		},
	}
}

func build(ctx context.Context, a *cli.App) error {
	start := time.Now()
	dir, err := a.Store()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "Solving the starter tables into %s\n", dir)
	for _, s := range starters(a.Games) { // a solve leaves alone what is there (store.Create)
		if err := step(ctx, a, append([]string{"solve", s.Game.Name()}, s.Flags...)); err != nil {
			return err
		}
		if !s.Answers {
			continue
		}
		if err := step(ctx, a, []string{"query", s.Game.Name(), s.Game.Example}); err != nil {
			return err
		}
	}
	if err := step(ctx, a, []string{"status"}); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "\nBuilt in %s. Ask on: endwise query GAME POSITION\n", cli.Duration(time.Since(start)))
	return nil
}

// step runs another command line of this program and shows it as one.
func step(ctx context.Context, a *cli.App, args []string) error {
	fmt.Fprintf(a.Stdout, "\n$ endwise %s\n", strings.Join(args, " "))
	sub := *a
	root := newRootCmd(&sub)
	root.SetArgs(append(args, "--store", a.StoreDir))
	return root.ExecuteContext(ctx)
}
