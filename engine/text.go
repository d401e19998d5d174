package engine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes lines that others have had a hand in fit for a terminal: a
// blank stands for whatever cannot be printed, line feeds apart. No escape
// sequence is left then, and nothing that turns the direction of the text.
func Printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && (c == utf8.RuneError || !unicode.IsPrint(c)) {
			return ' '
		}
		return c
	}, s)
}

// OneLine makes text that others have sent fit for a line of a report, a log or
// a message: Printable, of at most n bytes, a longer one ending with ….
func OneLine(s string, n int) string {
	s = strings.TrimSpace(strings.ReplaceAll(Printable(s), "\n", " "))
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
