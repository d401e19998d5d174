package main

import (
	"cmp"
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

func newVersionCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program, rules and file formats",
		Long: `Prints the version, commit and date that the program was built from, and the
versions that tables and books depend on. A table made for other rules, by
another solver or in another format is skipped with a message; delete it and
solve it again.`,
		Example: "  endwise version",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return printVersions(a.Stdout, a.Games) },
	}
}

func buildVersion() string {
	version, commit, date, changed := "(devel)", "", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(info.Main.Version, version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = fmt.Sprintf(", commit %.12s", s.Value)
			case "vcs.time":
				date = fmt.Sprintf(" of %.10s", s.Value)
			case "vcs.modified":
				if s.Value == "true" {
					changed = " with changes that are not committed"
				}
			}
		}
	}
	return fmt.Sprintf("endwise %s%s%s%s, %s %s/%s",
		version, commit, date, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func printVersions(w io.Writer, games cli.Games) error {
	fmt.Fprintf(w, "%s\n\n", buildVersion())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "game\trules\tsolvers of tables")
	for _, g := range games {
		fmt.Fprintf(t, "%s\t%d\t%s\n", g.Name(), g.RulesVersion(), joinVersions(g.Sources.SolverVersions()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nformats: %s\n", joinVersions(book.FormatVersions()))
	return err
}

func joinVersions(list []book.Version) string {
	var words []string
	for _, v := range list {
		words = append(words, fmt.Sprintf("%s %d", v.Name, v.Number))
	}
	return strings.Join(words, ", ")
}
