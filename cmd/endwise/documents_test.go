package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"endwise/cmd/endwise/cli"
)

// documents returns all documents by their paths from the repository's root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := repositoryFiles(t, []string{".md"}, ".")
	if out["README.md"] == "" || len(out) < 10 {
		t.Fatalf("only %d documents", len(out))
	}
	return out
}

// documentCommand finds the beginning of a command line in a document: at the start of a
// line of code, or after a prompt, a pipe or another command.
var documentCommand = regexp.MustCompile("(?:^|\\$ |\\| |&& |<\\()(?:go run \\./cmd/)?(endwise [^|<)`]+)")

// Every command line in a document is valid: the commands and flags exist and have values
// of the right form.
func TestDocumentedCommands(t *testing.T) {
	checked := 0
	for name, text := range documents(t) {
		code := false
		check := func(n int, whole string) {
			line := strings.NewReplacer("[", "", "]", "", "…", "").Replace(whole)
			words := shellWords(line)
			if len(words) < 2 || words[1] == "help" || strings.Contains(whole, " … ") {
				return
			}
			checked++
			if err := parses(words); err != nil {
				t.Errorf("%s:%d: %s: %v", name, n, line, err)
			}
			if flag := hiddenFlag(t, words); flag != "" {
				t.Errorf("%s:%d: %s: --%s is not in the help of the command", name, n, line, flag)
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code && strings.TrimSpace(line) == "```"
				continue
			}
			if code || strings.HasPrefix(line, "    ") {
				for _, m := range documentCommand.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
					check(i+1, m[1])
				}
				continue
			}
			for j, span := range strings.Split(line, "`") {
				if j%2 == 1 {
					if m := documentCommand.FindStringSubmatch(span); m != nil {
						check(i+1, m[1])
					}
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d command lines were found", checked)
	}
}

// hiddenFlag returns a flag in a command line that the help of the command does not list.
func hiddenFlag(t *testing.T, words []string) (name string) {
	t.Helper()
	cmd, rest, err := newRootCmd(&cli.App{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Games: games()}).Find(words[1:])
	if err != nil || cmd.ParseFlags(rest) != nil {
		return ""
	}
	help := cmd.UsageString()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Hidden || !strings.Contains(help, "--"+f.Name) {
			name = f.Name
		}
	})
	return name
}

var (
	link     = regexp.MustCompile(`\]\(([^)]+)\)`)
	codePath = regexp.MustCompile("`((?:cmd|solver|book|engine|data|\\.ci)/[A-Za-z0-9_./-]+)`")
	codeTest = regexp.MustCompile("`(Test[A-Za-z]+)`")
	testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// Every link, path from the repository's root and test that a document names exists.
func TestDocumentedPlaces(t *testing.T) {
	root, tests := filepath.Join("..", ".."), map[string]bool{}
	for path, text := range goFiles(t, ".") {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range testName.FindAllStringSubmatch(text, -1) {
				tests[m[1]] = true
			}
		}
	}
	for name, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, _, _ := strings.Cut(m[1], "#")
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), path)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, m[1])
			}
		}
		for _, m := range codePath.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
		for _, m := range codeTest.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
	}
}

// The starter of every game leads to the hand-in in the same four steps.
func TestStarterSteps(t *testing.T) {
	for _, g := range games() {
		steps := regexp.MustCompile("(?s)\n1\\. Practise, in this directory: .*`endwise arena " + g.Name() + " .*\n2\\. Measure version 2 against version 1, as an Elo difference: " +
			"`endwise arena " + g.Name() + " \"?new=.* \"?old=.*\n3\\. Find the mistakes: `endwise analyze .*\n4\\. Hand in: `")
		if name := "cmd/endwise/" + g.Name() + "/starter/README.md"; !steps.MatchString(documents(t)[name]) {
			t.Errorf("%s lacks a step", name)
		}
	}
}

// Every position in the tables of notations is read as it is printed.
func TestDocumentedNotations(t *testing.T) {
	read := 0
	for name, game := range map[string]string{"cmd/endwise/README.md": "", "cmd/endwise/dotsandboxes/README.md": "dotsandboxes"} {
		inTable := false
		for line := range strings.Lines(documents(t)[name]) {
			cells := strings.Split(line, " | ")
			if strings.HasPrefix(line, "| notation |") || strings.HasPrefix(line, "| game | a position is") {
				inTable = true
			} else if !strings.HasPrefix(line, "|") {
				inTable = false
			}
			if !inTable || len(cells) < 2 || strings.HasPrefix(line, "|---") {
				continue
			}
			g, err := games().Named(game)
			for _, known := range games() {
				if strings.HasPrefix(line, "| "+strings.TrimSuffix(known.Title(), "!")+" ") {
					g, err = known, nil
				}
			}
			if err != nil {
				continue // the head
			}
			for i, span := range strings.Split(cells[1], "`") {
				if i%2 == 0 || !wholePosition.MatchString(span) {
					continue
				}
				read++
				if _, err := g.Parse(span); err != nil {
					t.Errorf("%s: %s: `%s`: %v", name, g.Name(), span, err)
				}
			}
		}
	}
	if read < 15 {
		t.Errorf("only %d positions were found", read)
	}
}

// wholePosition matches what is a position by itself, not a part of one or a placeholder.
var wholePosition = regexp.MustCompile(`^(User action|[0-9(PXf]|http).*[a-z0-9A-Z)}]$`)
