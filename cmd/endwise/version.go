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
		Long: `Prints what the program was built from and the versions that tables and books
depend on. A table of other rules, another solver or another format is left out
and said to be so; delete it and solve it again.`,
		Example: "  endwise version",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return printVersions(a.Stdout, a.Games) },
	}
}

func printVersions(w io.Writer, games cli.Games) error {
	module, commit, changed := "(devel)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		module = cmp.Or(info.Main.Version, module)
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = fmt.Sprintf(", commit %.12s", s.Value)
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " and changes" // built from files that were not committed
			}
		}
	}
	fmt.Fprintf(w, "endwise %s%s%s, %s %s/%s\n\n", module, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
