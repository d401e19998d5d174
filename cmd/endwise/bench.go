package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

// allSearches returns the searches of all games, in the order of the games' titles.
func allSearches(games cli.Games) []cli.Search {
	var out []cli.Search
	byTitle := func(a, b cli.Game) int { return strings.Compare(a.Title(), b.Title()) }
	for _, g := range slices.SortedStableFunc(slices.Values(games), byTitle) {
		out = append(out, g.Searches...)
	}
	return out
}

// nodesFile is the output of the command bench.
const nodesFile = "testdata/nodes"

func newBenchCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "bench",
		Short: "Count the nodes of every search",
		Long: `Prints the number of nodes of each search on a fixed set of positions with one
thread, and the total time on standard error. A node count is the same in every run
on one type of processor, and changes only with the search.
cmd/endwise/testdata/nodes contains the counts of this version on amd64, and a test
compares them. After an intended change of a search, write the file again:

  go run ./cmd/endwise bench > cmd/endwise/testdata/nodes

Speed and strength are measured by Go benchmarks; see data/results/README.md.`,
		Example: "  endwise bench",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			start := time.Now()
			if err := printNodes(cmd.Context(), a.Stdout, allSearches(a.Games)); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.Stderr, "counted in %s\n", cli.Duration(time.Since(start)))
			return err
		},
	}
}

// printNodes counts the nodes of each search and writes a line for each, but none if a count fails.
func printNodes(ctx context.Context, w io.Writer, searches []cli.Search) error {
	text := ""
	for _, s := range searches {
		n, err := s.Count(ctx)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return fmt.Errorf("node count of %s: %w", s.Name, err)
		}
		text += fmt.Sprintf("%s %d\n", s.Name, n)
	}
	_, err := io.WriteString(w, text)
	return err
}
