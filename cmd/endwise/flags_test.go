package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/usage"
	"endwise/engine/testenv"
)

// commands are all commands that a user can see, parents before children.
func commands(t *testing.T) []*cobra.Command {
	t.Helper()
	var out []*cobra.Command
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		out = append(out, c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCmd(&cli.App{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}))
	if len(out) < 40 {
		t.Fatalf("only %d commands", len(out))
	}
	return out
}

// everywhere are the flags that every user knows after one command.
var everywhere = map[string]struct{ kind, usage string }{
	"json":    {"bool", cli.JsonUsage},
	"time":    {"duration", cli.TimeUsage},
	"threads": {"int", cli.ThreadsUsage},
	"hash":    {"int", cli.HashUsage},
	"store":   {"string", cli.StoreUsage},
}

// Defaults other than those of query, with why.
var otherDefault = map[string]string{
	"analyze --time":         "there is no clock, and thousands of positions",
	"book --time":            "there is no clock, and thousands of positions",
	"bot circuitwars --time": "the server's clock decides",
	"solve --hash":           "a long run with the machine to itself",
}

var (
	condition = regexp.MustCompile(`^with(out)? --?[a-z-]+[^:]*: `)
	addition  = regexp.MustCompile(`(;| \(default|, for instance).*$`)
)

// TestFlagsMeanTheSame checks that a flag of one name has one type and one
// meaning in all commands, and the flags of everyday one default.
func TestFlagsMeanTheSame(t *testing.T) {
	type use struct{ command, kind, usage, short string }
	uses := map[string][]use{}
	for _, c := range commands(t) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			usage := condition.ReplaceAllString(f.Usage, "")
			name := c.CommandPath() + " --" + f.Name
			want, known := everywhere[f.Name]
			switch {
			case usage == "":
				t.Errorf("%s: no help", name)
			case known && (f.Value.Type() != want.kind || !strings.HasPrefix(usage, want.usage)):
				t.Errorf("%s is a %s: %q\nwant a %s: %q and what is special", name, f.Value.Type(), usage, want.kind, want.usage)
			case strings.HasSuffix(usage, "."):
				t.Errorf("%s: help is no sentence, but ends with a dot: %q", name, usage)
			}
			kind := strings.TrimSuffix(f.Value.Type(), "Array") // one that may be given again
			uses[f.Name] = append(uses[f.Name], use{c.CommandPath(), kind, addition.ReplaceAllString(usage, ""), f.Shorthand})
			checkDefault(t, c, f)
		})
	}
	for name, list := range uses {
		if _, known := everywhere[name]; known {
			continue
		}
		for _, u := range list[1:] {
			if first := list[0]; u.kind != first.kind || u.usage != first.usage || u.short != first.short {
				t.Errorf("--%s has two meanings:\n%s: %s %q %q\n%s: %s %q %q", name, first.command, first.kind, first.usage, first.short, u.command, u.kind, u.usage, u.short)
			}
		}
	}
}

// checkDefault compares the default of --time, --threads and --hash with that
// of query.
func checkDefault(t *testing.T, c *cobra.Command, f *pflag.Flag) {
	if !slices.Contains([]string{"time", "threads", "hash"}, f.Name) {
		return
	}
	query, _, err := c.Root().Find([]string{"query"})
	testenv.OK(t, err)
	path := strings.TrimPrefix(c.CommandPath(), "endwise ")
	parent, _, _ := strings.Cut(path, " ")
	if want := query.Flags().Lookup(f.Name).DefValue; f.DefValue != want && otherDefault[path+" --"+f.Name] == "" && otherDefault[parent+" --"+f.Name] == "" {
		t.Errorf("%s --%s: default %s, want %s or a reason", path, f.Name, f.DefValue, want)
	}
}

// Every command says what it is for and shows how it is called.
func TestHelpIsComplete(t *testing.T) {
	for _, c := range commands(t) {
		switch path := c.CommandPath(); {
		case c.Short == "" || strings.HasSuffix(c.Short, "."):
			t.Errorf("%s: short help %q: want a phrase without a dot", path, c.Short)
		case c.Long == "" && !c.HasSubCommands():
			t.Errorf("%s: no long help", path)
		case c.Example == "":
			t.Errorf("%s: no example", path)
		}
		for line := range strings.Lines(c.Long) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 88 {
				t.Errorf("%s: a line of %d characters in the help: %s", c.CommandPath(), n, line)
			}
		}
	}
}

// An earlier spelling is answered with today's.
func TestRenamed(t *testing.T) {
	for old, now := range usage.Renamed {
		if code, _, errs := endwise(t, strings.Fields(old)...); code != exitBadInput || !strings.Contains(errs, "; it is now "+now) {
			t.Errorf("%s: exit code %d, %s", old, code, errs)
		}
	}
}

// The commands with the most flags show those that people use first.
func TestHelpShowsFirstFlags(t *testing.T) {
	for _, words := range [][]string{{"analyze"}, {"arena"}, {"book", "grow"}} {
		_, help, _ := endwise(t, append(words, "--help")...)
		_, flags, _ := strings.Cut(help, "\nFlags:\n")
		used, more, ok := strings.Cut(flags, "\nMore:\n")
		if n := strings.Count("\n"+used, "\n      --"); !ok || n != 5 || !strings.Contains(more, "\n      --") {
			t.Errorf("%v: %d flags before More in %s", words, n, flags)
		}
		for line := range strings.Lines(flags) {
			if len(line) > 81 {
				t.Errorf("%v: more than 80 columns: %s", words, line)
			}
		}
	}
}
