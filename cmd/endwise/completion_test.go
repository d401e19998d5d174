package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"endwise/cmd/endwise/cli"
	"endwise/engine/testenv"
)

// completed asks as the shells' scripts do, and gives the words without what
// they mean.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	code, out, errs := endwise(t, append([]string{"__complete"}, words...)...)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var list []string
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, ":") {
			break // what the shell shall do
		}
		word, _, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		list = append(list, word)
	}
	return list
}

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("ENDWISE_STORE", filepath.Join(t.TempDir(), "store"))
	testenv.OK(t, os.WriteFile("games.txt", []byte("0,0,top\n"), 0o666))
	for _, line := range []string{
		"solve circuitwars --board 1x2", "book grow circuitwars --board 4x3 --positions 6 --time 1ms --publish --hash 8 games.txt",
	} {
		if code, _, errs := endwise(t, strings.Fields(line)...); code != exitOK {
			t.Fatal(errs)
		}
	}
	for _, c := range []struct {
		words []string
		has   []string
		not   []string
	}{
		{[]string{"que"}, []string{"query"}, []string{"play"}},
		{[]string{"query", ""}, []string{"circuitwars", "dotsandboxes", "watchyourback"}, nil},
		{[]string{"solve", "d"}, []string{"dotsandboxes"}, []string{"circuitwars"}},
		// Positions: the one that ships, the starts of the usual boards, of a
		// table's and of a book's board, and those that the book has.
		{[]string{"query", "circuitwars", ""}, []string{cli.Games[0].Example, "7x7:0000000000000000000000000000:0-0:1", "1x2:00:0-0:1", "4x3:00000000:0-0:1", "4x3:80000000:0-0:2"}, []string{"circuitwars"}},
		{[]string{"book", "show", "dotsandboxes", ""}, []string{"3x3 h0,1 v1,2 h3,1 v0,0"}, nil},
		{[]string{"play", "dotsandboxes", ""}, []string{"3x3 h0,1 v1,2 h3,1 v0,0"}, nil},
		{[]string{"query", "circuitwars", "--board", ""}, []string{"7x7", "1x2", "4x3"}, nil},
		{[]string{"arena", "watchyourback", "greedy", ""}, []string{"endwise", "level4", "mirror", "py:", "cmd:"}, []string{"human", "ws://"}},
		{[]string{"arena", "dotsandboxes", "endwise", "level1", ""}, []string{"ws://"}, nil},
		{[]string{"referee", "watchyourback", ""}, []string{"endwise", "human", "greedy"}, []string{"level1"}},
		{[]string{"play", "circuitwars", "--first", "level"}, []string{"human", "level1", "level4"}, nil},
		{[]string{"bot", "watchyourback", "--level", ""}, []string{"greedy"}, nil},
		{[]string{"bot", "circuitwars", "--level", ""}, []string{"1", "4"}, nil},
		{[]string{"verify", ""}, []string{"circuitwars-board-1x2", "opening-circuitwars-4x3"}, nil},
		{[]string{"verify", "circuitwars-board-1x2", "c"}, []string{"circuitwars-board-1x2"}, nil},
		{[]string{"query", "circuitwars", "7x7", ""}, nil, []string{"circuitwars"}},
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish"}, nil},
		{[]string{"query", "--th"}, []string{"--threads"}, nil},
	} {
		got := completed(t, c.words...)
		for _, w := range c.has {
			if !slices.Contains(got, w) {
				t.Errorf("%q: %q is missing from %q", c.words, w, got)
			}
		}
		for _, w := range c.not {
			if slices.Contains(got, w) {
				t.Errorf("%q: %q is in %q", c.words, w, got)
			}
		}
	}
}

// The script for bash works in bash: it asks the program on the PATH.
func TestCompletionInBash(t *testing.T) {
	bash := testenv.Program(t, "bash")
	t.Setenv("ENDWISE_STORE", t.TempDir())
	out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", `
		# What the package bash-completion has.
		_get_comp_words_by_ref() { cur=$2x; words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
		compopt() { :; } # only known while bash completes
		source <(endwise completion bash)
		ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMPREPLY=(); __start_endwise; printf '%s\n' "${COMPREPLY[@]}"; }
		ask endwise query cir
		ask endwise solve watch
		ask endwise ver`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"circuitwars", "watchyourback", "verify", "version"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("bash is not told of %q: %s", want, out)
		}
	}
}

// The scripts for zsh and fish are taken by those shells, where there are any.
func TestCompletionInOtherShells(t *testing.T) {
	for shell, check := range map[string]string{"zsh": "-n", "fish": "--no-execute"} {
		file := filepath.Join(t.TempDir(), "completion")
		code, out, errs := endwise(t, "completion", shell)
		if code != exitOK || !strings.Contains(out, "endwise") {
			t.Fatalf("%s: exit code %d: %s%s", shell, code, out, errs)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s", shell)
			continue
		}
		testenv.OK(t, os.WriteFile(file, []byte(out), 0o666))
		if text, err := exec.CommandContext(t.Context(), path, check, file).CombinedOutput(); err != nil {
			t.Errorf("%s %s: %v: %s", shell, check, err, text)
		}
	}
}

// Typing errors in commands, games, shells and flags are answered with what
// was probably meant.
func TestSuggestions(t *testing.T) {
	for line, want := range map[string]string{
		"qeury":                         `did you mean "query"?`,
		"book gorw":                     `did you mean "grow"?`,
		"query circutwars":              `did you mean "circuitwars"?`,
		"solve dotsandboxs":             `did you mean "dotsandboxes"?`,
		"completion bsh":                `did you mean "bash"?`,
		"query --tiem 3s":               `did you mean "--time"?`,
		"solv --board 3x3":              `did you mean "solve"?`,
		"book gro circuitwars --for 1s": `did you mean "grow"?`,
		"solve circuitwar --board 3x3":  `did you mean "circuitwars"?`,
		"analyze --thread 1 file":       `did you mean "--threads"?`,
		"serve circuitwrs":              `did you mean "circuitwars"?`,
	} {
		if code, _, errs := endwise(t, strings.Fields(line)...); code != exitBadInput || !strings.Contains(errs, want) {
			t.Errorf("endwise %s: exit code %d, %q: want %d and %q", line, code, errs, exitBadInput, want)
		}
	}
	if _, _, errs := endwise(t, "query", "chess"); strings.Contains(errs, "did you mean") {
		t.Errorf("chess is near to nothing: %s", errs)
	}
}
