package watchyourback

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"endwise/engine"
)

var letterColors = map[byte]string{whiteLetter: "1;33", blackLetter: "1;36"}

// Draw draws the board as the referee does, with coordinates. The square entered last is in parentheses
// or, with colours, in reverse video.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	last := -1 // the square entered last
	if style.Last != nil && *style.Last != Forfeit {
		last = Square(*style.Last)
	}
	open, shut := "(", ")"
	if style.Color {
		open, shut = " ", " "
	}
	var b strings.Builder
	b.WriteString("  ")
	for x := range 8 {
		b.WriteString(" " + style.Paint("2", strconv.Itoa(x)))
	}
	b.WriteString("\n")
	for y := range 8 {
		b.WriteString(style.Paint("2", strconv.Itoa(y)) + " ")
		for x := range 8 {
			s, before := sq(x, y), " "
			if s == last {
				before = open
			} else if x > 0 && s-1 == last {
				before = shut
			}
			letter := p.letter(s)
			if letter == removedLetter {
				b.WriteString(before + " ")
				continue
			}
			color := cmp.Or(letterColors[letter], "2")
			if s == last {
				color += ";7"
			}
			b.WriteString(before + style.Paint(color, string(letter)))
		}
		if last == sq(7, y) {
			b.WriteString(strings.TrimSpace(shut))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
