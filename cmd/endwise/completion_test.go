package main

import (
	"slices"
	"strings"
	"testing"
)

// completed requests completions as the shells' scripts do and returns the words without
// their descriptions.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	code, out, errs := endwise(t, append([]string{"__complete"}, words...)...)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var list []string
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, ":") {
			break // instructions for the shell
		}
		word, _, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		list = append(list, word)
	}
	return list
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		words []string
		has   []string
		not   []string
	}{
		{[]string{"que"}, []string{"query"}, []string{"play"}},
		{[]string{"query", ""}, []string{"circuitwars", "dotsandboxes", "watchyourback"}, nil},
		{[]string{"book", "show", ""}, []string{"circuitwars", "dotsandboxes", "watchyourback"}, nil},
		{[]string{"solve", "d"}, []string{"dotsandboxes"}, []string{"circuitwars"}},
		{[]string{"query", "circuitwars", "--board", ""}, []string{"7x7"}, []string{"8x8"}},
		{[]string{"query", "wyb", "--board", ""}, []string{"8x8"}, []string{"7x7"}},
		{[]string{"solve", "circuitwars", "--board", ""}, []string{"7x7"}, nil},
		{[]string{"bot", "watchyourback", "--level", ""}, []string{"level1", "greedy"}, nil},
		{[]string{"bot", "circuitwars", "--level", ""}, []string{"level1", "level4"}, []string{"greedy"}},
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
