package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/disk"
)

// searches are all searches, game by game in the order of their titles, a
// few seconds of processor time together. The counts that belong to a commit
// are in nodesFile, and the tests compare.
func searches() []cli.Search {
	byTitle := slices.Clone(cli.Games)
	slices.SortStableFunc(byTitle, func(a, b cli.Game) int { return strings.Compare(a.Title(), b.Title()) })
	var out []cli.Search
	for _, g := range byTitle {
		out = append(out, g.Searches...)
	}
	return out
}

// nodesFile has the node counts of the searches as they are in this commit, as
// the bench command prints them.
const nodesFile = "testdata/nodes"

//go:embed testdata/nodes
var keptNodes []byte

func newBenchCmd(a *cli.App) *cobra.Command {
	c := cli.GroupCmd("bench", "Measure how fast the searches are", cli.Commands(a, func(g cli.Game) func(*cli.App) *cobra.Command { return g.Bench })...)
	c.Long = `Without a game: prints the node count of each search, the nodes that it counts on
a fixed set of positions with one thread. It is the same in every run and changes
only when the search does. The node counts of this version are kept in
cmd/endwise/` + nodesFile + `; the tests compare them. A commit that means
to change a search brings the file up to date and says so:

  go run ./cmd/endwise bench > cmd/endwise/` + nodesFile + `

With --profile FILE: runs all these searches several times and writes a processor
profile for go tool pprof, or for a build with go build -pgo FILE.

With --against OTHER: runs this program and another build of it in pairs, with the
words after -- as their command line (without any: bench), each time over an empty
store, and prints the ratios of their times, which a busy machine changes little:

  endwise bench --against ./older -- solve circuitwars --board 3x3

With a game: measures the search of that game.`
	c.Example = "  endwise bench\n  endwise bench --profile searches.pgo\n  endwise bench circuitwars"
	var profile string
	var pairs comparison
	c.Flags().StringVar(&profile, "profile", "", "write a processor profile of all searches to this file")
	c.Flags().StringVar(&pairs.binaries[1], "against", "", "compare with this build of the program")
	c.Flags().IntVar(&pairs.pairs, "pairs", 9, "with --against: runs of each that count")
	choose := c.RunE
	c.RunE = func(cmd *cobra.Command, rest []string) (err error) {
		if pairs.binaries[1] != "" {
			if pairs.pairs < 1 {
				return cli.BadInput(fmt.Errorf("--pairs %d: want 1 or more", pairs.pairs))
			}
			if pairs.args = rest; len(rest) == 0 {
				pairs.args = []string{"bench"}
			}
			if pairs.binaries[0], err = os.Executable(); err != nil {
				return err
			}
			return pairs.run(cmd.Context(), a)
		}
		if len(rest) > 0 {
			return choose(cmd, rest)
		}
		if profile != "" {
			return writeProfile(cmd.Context(), a.Stdout, profile, profileRounds)
		}
		return printNodes(cmd.Context(), a.Stdout)
	}
	return c
}

// printNodes counts and prints a line for each search. Only complete
// output is printed, so that an interrupted run leaves no half of a file.
func printNodes(ctx context.Context, w io.Writer) error {
	text := ""
	for _, f := range searches() {
		n, err := f.Count(ctx)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return fmt.Errorf("node count of %s: %w", f.Name, err)
		}
		text += fmt.Sprintf("%s %d\n", f.Name, n)
	}
	_, err := io.WriteString(w, text)
	return err
}

// profileRounds is how often a profile runs every search: with some two
// seconds a round and a sample in 10 ms, thousands of samples.
const profileRounds = 8

// writeProfile runs all searches so many times, prints the node counts of the
// last round and writes a processor profile of all of them, in the form that
// go build -pgo and go tool pprof read. An interrupted run leaves no file.
func writeProfile(ctx context.Context, w io.Writer, file string, rounds int) error {
	opened := false
	err := disk.WriteFile(file, 0o644, func(profile io.Writer) error {
		opened = true
		if err := pprof.StartCPUProfile(profile); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		for range rounds - 1 {
			if err := printNodes(ctx, io.Discard); err != nil {
				return err
			}
		}
		return printNodes(ctx, w)
	})
	if !opened {
		return cli.BadInput(fmt.Errorf("--profile: %w", err))
	}
	return err
}
