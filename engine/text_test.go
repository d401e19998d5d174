package engine

import (
	"strings"
	"testing"
)

// Text of players that is shown holds nothing that a terminal obeys.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		" a\x1b[2Jb\n":         "a [2Jb",
		"a\u009b2Jb":           "a 2Jb",
		"left\u202egnorw":      "left gnorw",
		"two\u2028lines\ufeff": "two lines",
		"Zü\xff→\ufffd 3":      "Zü →  3",
		strings.Repeat("é", 9): "éééééééé…", // cut to 17 bytes at most
	} {
		if got := OneLine(text, 17); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
