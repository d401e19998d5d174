package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/cli"
)

// versions is what version prints: what other machines must share to read
// this one's tables and books.
type versions struct {
	Module  string         `json:"module"`
	Commit  string         `json:"commit,omitempty"`
	Changed bool           `json:"changed,omitempty"` // built from files that were not committed
	Go      string         `json:"go"`
	System  string         `json:"system"`
	Games   []gameVersion  `json:"games"`
	Formats []book.Version `json:"formats"`
}

type gameVersion struct {
	Name    string         `json:"name"`
	Rules   int            `json:"rules"`
	Solvers []book.Version `json:"solvers"`
}

func newVersionCmd(a *cli.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program, rules and file formats",
		Long: `Prints what the program was built from and the versions that tables and books
depend on. A table of other rules, another solver or another format is left out
and said to be so; delete it and solve it again.`,
		Example: "  endwise version\n  endwise version --json",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v := currentVersions(a.Games)
			if asJSON {
				return cli.WriteJSON(a.Stdout, v)
			}
			return v.print(a.Stdout)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	return c
}

func currentVersions(games cli.Games) versions {
	v := versions{Module: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Formats: book.FormatVersions()}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v.Module = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.modified":
				v.Changed = s.Value == "true"
			}
		}
	}
	for _, g := range games {
		v.Games = append(v.Games, gameVersion{g.Name(), g.RulesVersion(), g.Sources.SolverVersions()})
	}
	return v
}

func (v versions) print(w io.Writer) error {
	fmt.Fprintf(w, "endwise %s", v.Module)
	if v.Commit != "" {
		fmt.Fprintf(w, ", commit %.12s", v.Commit)
	}
	if v.Changed {
		fmt.Fprint(w, " and changes")
	}
	fmt.Fprintf(w, ", %s %s\n\n", v.Go, v.System)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "game\trules\tsolvers of tables")
	for _, g := range v.Games {
		fmt.Fprintf(t, "%s\t%d\t%s\n", g.Name, g.Rules, joinVersions(g.Solvers))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nformats: %s\n", joinVersions(v.Formats))
	return err
}

func joinVersions(list []book.Version) string {
	var words []string
	for _, v := range list {
		words = append(words, fmt.Sprintf("%s %d", v.Name, v.Number))
	}
	return strings.Join(words, ", ")
}
