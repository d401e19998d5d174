package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// fingerprint is a search and what it counts on a fixed set of positions: on
// one thread, from a cold table and with a limit of depth or nodes, so that
// the count is the same in every run and changes when the search does.
type fingerprint struct {
	name  string
	count func(context.Context) (uint64, error)
}

// fingerprints are all searches, game by game in the order of their titles, a
// few seconds of processor time together. The counts that belong to a commit
// are in fingerprintFile, and the tests compare.
func fingerprints() []fingerprint {
	byTitle := slices.Clone(games)
	slices.SortStableFunc(byTitle, func(a, b gameEntry) int { return strings.Compare(a.Title(), b.Title()) })
	var out []fingerprint
	for _, g := range byTitle {
		out = append(out, g.fingerprints...)
	}
	return out
}

// fingerprintFile has the fingerprints of the searches as they are in this
// commit, as the bench command prints them.
const fingerprintFile = "testdata/fingerprints"

func newBenchCmd(a *app) *cobra.Command {
	c := groupCmd("bench", "Measure how fast the searches are", gameCommands(a, func(g gameEntry) func(*app) *cobra.Command { return g.bench })...)
	c.Long = `Without a game: prints the fingerprint of each search, the nodes that it counts on
a fixed set of positions with one thread. It is the same in every run and changes
only when the search does. The fingerprints of this version are kept in
cmd/endwise/` + fingerprintFile + `; the tests compare them. A commit that means
to change a search brings the file up to date and says so:

  go run ./cmd/endwise bench > cmd/endwise/` + fingerprintFile + `

With --profile FILE: runs all these searches several times and writes a processor
profile for go tool pprof, or for a build with go build -pgo FILE.

With a game: measures the search of that game.`
	c.AddCommand(newBenchResultsCmd(a))
	c.Example = "  endwise bench\n  endwise bench --profile searches.pgo\n  endwise bench circuitwars"
	var profile string
	c.Flags().StringVar(&profile, "profile", "", "write a processor profile of all searches to this file")
	choose := c.RunE
	c.RunE = func(cmd *cobra.Command, rest []string) error {
		if len(rest) > 0 {
			return choose(cmd, rest)
		}
		if profile != "" {
			return writeProfile(cmd.Context(), a.stdout, profile, profileRounds)
		}
		return printFingerprints(cmd.Context(), a.stdout)
	}
	return c
}

// printFingerprints counts and prints a line for each search. Only complete
// output is printed, so that an interrupted run leaves no half of a file.
func printFingerprints(ctx context.Context, w io.Writer) error {
	text := ""
	for _, f := range fingerprints() {
		n, err := f.count(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("fingerprint of %s: %w", f.name, err)
		}
		text += fingerprintLine(f.name, n)
	}
	_, err := io.WriteString(w, text)
	return err
}

func fingerprintLine(name string, nodes uint64) string { return fmt.Sprintf("%s %d\n", name, nodes) }
