package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What the flags mean that many commands have. A command may add to the
// sentence what is special about it; it never means something else by the
// name. flags_test.go walks all commands and checks it.
const (
	AddrUsage      = "address to listen on, HOST:PORT; port 0 takes any that is free"
	BoardUsage     = "size of the board"
	BookUsage      = "directory of a book"
	BinaryUsage    = "endwise program that the file starts (default this one)"
	CPUUsage       = "count processor time instead, for busy machines"
	EveryUsage     = "take one game in so many"
	GoodPlayUsage  = "measure on positions of games that our player played instead"
	ExercisesUsage = "file of exercises, positions with one move that holds"
	ForceUsage     = "replace what is there"
	GameTimeUsage  = "processor time for the whole game"
	NoSolveUsage   = "play without 6x6 tables that the store lacks"
	OverheadUsage  = "time kept back from every limit"
	PonderUsage    = "think in the opponent's time too; not where several bots share the processor"
	SampleUsage    = "share of the values that is worked out again"
	StdioUsage     = "answer questions on standard input instead of playing"
	SeedUsage      = "seed of what is random"
	VerboseUsage   = "say more"
	JsonUsage      = "print JSON instead of text"
	TimeUsage      = "most time for a move or position"
	ThreadsUsage   = "threads that solve and search"
	JobsUsage      = "things done at once"
	NodesUsage     = "nodes for each position"
	HashUsage      = "megabytes of transposition table"
	StoreUsage     = "directory of the solved tables and books (default $ENDWISE_STORE, else the user's cache directory)"
)

// Want is the error of a flag with a value that makes no sense, nil where ok.
func Want(ok bool, flag string, value any, want string) error {
	if ok {
		return nil
	}
	return BadInput(fmt.Errorf("%s %v: want %s", flag, value, want))
}

// WantSizes checks the two flags that size a solver.
func WantSizes(threads, hash int) error {
	return cmp.Or(Want(threads >= 1, "--threads", threads, "1 or more"), Want(hash >= 1, "--hash", hash, "1 or more megabytes"))
}

// Share is a flag from 0 to 1, also written in percent.
type Share float64

// Set implements pflag.Value.
func (s *Share) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("not a share")
	}
	*s = Share(v)
	return nil
}

// String implements pflag.Value.
func (s *Share) String() string { return strconv.FormatFloat(100*float64(*s), 'g', -1, 64) + "%" }

// Type implements pflag.Value.
func (s *Share) Type() string { return "share" }

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
