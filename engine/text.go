package engine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine makes text that others have sent fit for a line of a report, a log or
// a message: of at most n bytes, a longer one ending with …, and with a blank
// for whatever cannot be printed.
func OneLine(s string, n int) string {
	s = strings.TrimSpace(strings.Map(func(c rune) rune {
		if c == utf8.RuneError || !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, s))
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
