package main

import (
	"regexp"
	"strings"
	"testing"
)

// neverRight matches phrases that plain technical English does not need; the
// section "Writing" of the README says what to write instead.
var neverRight = regexp.MustCompile(`(?i)\b(so many|so much|whoever|whatever is|nobody|somebody|is told|are told|says whether|` +
	`say whether|by rule|by how much|is how many|is how much|is up to how|it is said|is left out|are left out|for ever|` +
	`of its own accord|works? out anew|worked out again|a question'?s|is none|is no \w+ that)\b`)

// Documents contain no phrase that is never right. A phrase in code format is
// a name and does not count.
func TestPlainEnglish(t *testing.T) {
	names := regexp.MustCompile("`[^`]*`")
	for path, text := range documents(t) {
		for i, line := range strings.Split(text, "\n") {
			if m := neverRight.FindString(names.ReplaceAllString(line, "")); m != "" {
				t.Errorf("%s:%d: %q; say it plainly", path, i+1, m)
			}
		}
	}
}
