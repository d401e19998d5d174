package watchyourback

import (
	"io"
	"strconv"
	"strings"

	"endwise/engine"
)

// Draw draws the board as the referee does, with coordinates. With colours, the square entered last is
// in reverse video.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	last := -1
	if style.Last != nil && *style.Last != Forfeit {
		last = Square(*style.Last)
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
			s := sq(x, y)
			letter, color := p.letter(s), "2"
			switch letter {
			case removedLetter:
				b.WriteString("  ")
				continue
			case whiteLetter:
				color = "1;33"
			case blackLetter:
				color = "1;36"
			}
			if s == last {
				color += ";7"
			}
			b.WriteString(" " + style.Paint(color, string(letter)))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
