package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// starter is a table that every installation should have.
type starter struct {
	game    gameEntry
	flags   []string // of the game's solve command
	seconds int      // that solving takes on two cores, about
	answers bool     // from this table on the game's tables answer its example
}

// starters are the starter tables of all games, the quickest first.
func starters() []starter {
	var out []starter
	for _, g := range games {
		for _, s := range g.starters {
			s.game = g
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y starter) int { return cmp.Compare(x.seconds, y.seconds) })
	return out
}

func newBuildCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Solve and verify the starter tables of every game and answer queries from them",
		Long: `Runs the solve commands that every installation should have run once, each
the quickest first, with its progress and its verification. As soon as a game's
tables answer a position it asks for its best move; at the end it lists the
tables. Tables that are there are kept; interrupted, the same command goes on
where it stopped.`,
		Example: "  endwise build",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			dir, err := a.store()
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "Solving the starter tables into %s\n", dir)
			for _, s := range starters() {
				if err := a.step(cmd.Context(), append([]string{"solve", s.game.Name()}, s.flags...)); err != nil {
					return err
				}
				if !s.answers {
					continue
				}
				if err := a.step(cmd.Context(), []string{"query", s.game.Name(), s.game.example}); err != nil {
					return err
				}
			}
			if err := a.step(cmd.Context(), []string{"tables"}); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "\nBuilt in %s. Ask on: endwise query GAME POSITION\n", duration(time.Since(start)))
			return nil
		},
	}
}

// step runs another command line of this program and shows it as one.
func (a *app) step(ctx context.Context, args []string) error {
	fmt.Fprintf(a.stdout, "\n$ endwise %s\n", strings.Join(args, " "))
	sub := *a
	root := newRootCmd(&sub)
	root.SetArgs(append(args, "--store", a.storeDir))
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return root.ExecuteContext(ctx)
}
