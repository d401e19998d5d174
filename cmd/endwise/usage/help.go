// Package usage helps whoever types a command line: help that fits a terminal, what
// was meant by a wrong word or flag, spellings of earlier versions, and flags that
// may stand without their number.
package usage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// first marks the flags of a command that people use first.
const first = "endwise_first"

// First says which flags of a command people use first: its help has the others
// below them, under "More".
func First(c *cobra.Command, names ...string) {
	for _, name := range names {
		// The flags are those that the command has just defined.
		_ = c.Flags().SetAnnotation(name, first, nil)
	}
}

// helpColumns is how wide the list of flags is; pflag lets a last short word stick out by
// five.
const helpColumns = 75

// flagUsages lists the flags of a command for its help.
func flagUsages(c *cobra.Command) string {
	used, more := pflag.NewFlagSet("", 0), pflag.NewFlagSet("", 0)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[first]; ok {
			used.AddFlag(f)
		} else {
			more.AddFlag(f)
		}
	})
	list := more.FlagUsagesWrapped(helpColumns)
	if used.HasFlags() {
		list = used.FlagUsagesWrapped(helpColumns) + "\nMore:\n" + list
	}
	return strings.TrimRight(list, "\n")
}

// ShortLines makes the help of a command and those below it fit a terminal, and
// shows the flags that are used first as such.
func ShortLines(c *cobra.Command) {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	c.SetUsageTemplate(strings.NewReplacer(
		"{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagUsages .}}",
		"{{.InheritedFlags.FlagUsages |", fmt.Sprintf("{{.InheritedFlags.FlagUsagesWrapped %d |", helpColumns),
	).Replace(c.UsageTemplate()))
}

// Hide takes flags out of the help: what only the makers of the program use.
func Hide(c *cobra.Command, names ...string) {
	for _, name := range names {
		c.Flags().Lookup(name).Hidden = true
	}
}
