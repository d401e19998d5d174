package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"endwise/cmd/endwise/cli"
	"endwise/engine/testenv"
)

// commands returns all visible commands, parents before children.
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
	walk(newRootCmd(&cli.App{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Games: games()}))
	if len(out) < 40 {
		t.Fatalf("only %d commands", len(out))
	}
	return out
}

// everywhere contains flags that have the same type and meaning in every command.
var everywhere = map[string]struct{ kind, usage string }{
	"json":    {"bool", cli.JsonUsage},
	"time":    {"duration", cli.TimeUsage},
	"threads": {"int", cli.ThreadsUsage},
	"hash":    {"int", cli.HashUsage},
	"store":   {"string", cli.StoreUsage},
}

// otherDefault contains the defaults that differ from those of referee, with the reason.
var otherDefault = map[string]string{
	"query --hash":           "one short search: the first use of a large table takes longer",
	"play --hash":            "short searches: the first use of a large table takes longer",
	"analyze --time":         "there is no clock, and thousands of positions",
	"book --time":            "there is no clock, and thousands of positions",
	"bot circuitwars --time": "the server's clock decides",
	"solve --hash":           "a long run with the machine to itself",
}

var (
	condition = regexp.MustCompile(`^with(out)? --?[a-z-]+[^:]*: `)
	addition  = regexp.MustCompile(`(;| \(default|, for instance).*$`)
)

// A flag has one type and one meaning in all commands, and common flags one default.
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
			kind := strings.TrimSuffix(f.Value.Type(), "Array") // a flag that may be repeated
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

// checkDefault compares the default of --time, --threads and --hash with that of referee.
func checkDefault(t *testing.T, c *cobra.Command, f *pflag.Flag) {
	if !slices.Contains([]string{"time", "threads", "hash"}, f.Name) {
		return
	}
	referee, _, err := c.Root().Find([]string{"referee", "watchyourback"})
	testenv.OK(t, err)
	path := strings.TrimPrefix(c.CommandPath(), "endwise ")
	parent, _, _ := strings.Cut(path, " ")
	if want := referee.Flags().Lookup(f.Name).DefValue; f.DefValue != want && otherDefault[path+" --"+f.Name] == "" && otherDefault[parent+" --"+f.Name] == "" {
		t.Errorf("%s --%s: default %s, want %s or a reason", path, f.Name, f.DefValue, want)
	}
}

// own matches the commands that cobra adds.
var own = regexp.MustCompile(`^endwise (help|completion)`)

// Every command has a purpose and an example.
func TestHelpIsComplete(t *testing.T) {
	for _, c := range commands(t) {
		switch path := c.CommandPath(); {
		case c.Short == "" || strings.HasSuffix(c.Short, "."):
			t.Errorf("%s: short help %q: want a phrase without a dot", path, c.Short)
		case c.Long == "" && !c.HasSubCommands():
			t.Errorf("%s: no long help", path)
		case c.Example == "" && c.Runnable() && !own.MatchString(path):
			t.Errorf("%s: no example", path)
		}
		for line := range strings.Lines(c.Long) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 88 {
				t.Errorf("%s: a line of %d characters in the help: %s", c.CommandPath(), n, line)
			}
		}
	}
}

// Without arguments the program lists its commands within 80 columns and 40 rows.
func TestHelpFitsAScreen(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"help"}} {
		code, help, errs := endwise(t, args...)
		if code != exitOK || errs != "" {
			t.Fatalf("%q: exit code %d: %s", args, code, errs)
		}
		if n := strings.Count(help, "\n"); n > 40 {
			t.Errorf("%q: %d rows", args, n)
		}
		for line := range strings.Lines(help) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%q: a row of %d columns: %s", args, n, line)
			}
		}
		for _, c := range commands(t)[0].Commands() {
			if c.IsAvailableCommand() && !strings.Contains(help, "\n  "+c.Name()+" ") {
				t.Errorf("%q: no %s in %s", args, c.Name(), help)
			}
		}
	}
}

// aliases are the short names of the games.
var aliases = map[string]string{"circuitwars": "cw", "dotsandboxes": "dab", "watchyourback": "wyb"}

// Every command that accepts the name of a game accepts its alias.
func TestAliases(t *testing.T) {
	t.Setenv("ENDWISE_STORE", t.TempDir())
	over, cancel := context.WithCancel(t.Context())
	cancel()
	call := func(words []string) string {
		var out bytes.Buffer
		run(over, words, strings.NewReader(""), &out, &out)
		return out.String()
	}
	ofGames, withGame := 0, 0
	for _, c := range commands(t) {
		words := strings.Fields(c.CommandPath())[1:]
		if alias := aliases[c.Name()]; alias != "" {
			ofGames++
			words[len(words)-1] = alias
			if found, rest, err := c.Root().Find(words); err != nil || found != c || len(rest) > 0 {
				t.Errorf("%s: found %s %q, %v", words, found.CommandPath(), rest, err)
			}
		}
		if !strings.Contains(c.Use, " GAME") {
			continue
		}
		withGame++
		const unknown = "unknown game"
		args := []string{"x", "y"}[:strings.Count(c.Use, " PLAYER")]
		if text := call(append(append(words, "chess"), args...)); !strings.Contains(text, unknown) {
			t.Errorf("%s chess: %s", words, text)
		}
		for _, alias := range aliases {
			if text := call(append(append(words, alias), args...)); strings.Contains(text, unknown) {
				t.Errorf("%s %s: %s", words, alias, text)
			}
		}
	}
	if ofGames < 12 || withGame < 8 {
		t.Errorf("only %d commands of one game and %d with a game", ofGames, withGame)
	}
}

// The help fits 80 and 40 columns, except for single words and commands, and keeps its words.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, c := range commands(t) {
		if own.MatchString(c.CommandPath()) {
			continue
		}
		for _, columns := range []int{80, 40} {
			text := c.Long + "\n\n" + c.UsageString()
			fitted := fitHelp(text, columns)
			if got, want := strings.Fields(fitted), strings.Fields(text); !slices.Equal(got, want) {
				t.Errorf("%s at %d columns has other words:\n%s", c.CommandPath(), columns, fitted)
			}
			for line := range strings.Lines(fitted) {
				line = strings.TrimRight(line, "\n")
				if n := len([]rune(line)); n > columns && len(strings.Fields(line)) > 1 && !strings.HasPrefix(line, "  endwise ") {
					t.Errorf("%s: a line of %d columns, want %d: %s", c.CommandPath(), n, columns, line)
				}
			}
		}
	}
}
