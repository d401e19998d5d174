package watchyourback

import (
	"io"
	"strings"

	"endwise/engine"
)

// Draw implements engine.Position: the referee's drawing with the columns above and the
// rows beside it, White and Black in colours and the square last entered in reverse
// where style asks for it.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	last := -1
	if style.Last != nil && *style.Last != Forfeit {
		last = Square(*style.Last)
	}
	paint := func(color string, c rune) string { return style.Paint(color, string(c)) }
	var b strings.Builder
	b.WriteString("  ")
	for x := range 8 {
		b.WriteString(" " + paint("2", rune('0'+x)))
	}
	for i, c := range p.Board() {
		s := i/16*8 + i%16/2
		if i%16 == 0 {
			b.WriteString("\n" + paint("2", rune('0'+i/16)) + "  ")
		}
		color := "2"
		switch c {
		case whiteLetter:
			color = "1;33"
		case blackLetter:
			color = "1;36"
		case ' ', '\n':
			if i%16 < 15 {
				b.WriteRune(c)
			}
			continue
		}
		if s == last {
			color += ";7"
		}
		b.WriteString(paint(color, c))
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}
