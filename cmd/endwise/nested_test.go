package main

import (
	"strings"
	"testing"
)

// A megabyte of nested sizes and position lines is refused without a call for each of
// them: the test ends at once, or not within its time limit.
func TestNestedTextsAreRefused(t *testing.T) {
	for _, g := range games() {
		for _, part := range []string{"7x7 position ", "position 7x7 ", "8x8 position ", "position 8x8 ", "8x8 ", "7x7 ", "position ", "{ ", "# \n", "game: x\n"} {
			if p, err := g.Parse(strings.Repeat(part, 1<<20/len(part))); err == nil {
				t.Errorf("%s: %q again and again is %s", g.Name(), part, p)
			}
		}
	}
}
