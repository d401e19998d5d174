package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newBuildCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Solve and verify the starter tables of every game, then answer a query",
		Long: `Runs the solve commands that every installation should have run once, each
with its progress and its verification, lists the tables, and asks for the best
move of a position that the tables answer. Tables that are there are kept;
interrupted, the same command goes on where it stopped.`,
		Example: "  endwise build",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			dir, err := a.store()
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "Solving the starter tables into %s\n", dir)
			for _, g := range games {
				for _, flags := range g.starters {
					if err := a.step(cmd.Context(), append([]string{"solve", g.Name()}, flags...)); err != nil {
						return err
					}
				}
			}
			if err := a.step(cmd.Context(), []string{"tables"}); err != nil {
				return err
			}
			for _, g := range games {
				if g.example == "" {
					continue
				}
				if err := a.step(cmd.Context(), []string{"query", g.Name(), g.example}); err != nil {
					return err
				}
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
