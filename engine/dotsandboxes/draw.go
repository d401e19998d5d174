package dotsandboxes

import (
	"bufio"
	"fmt"
	"io"

	"endwise/engine"
)

// ANSI colours of the two players and of the last line.
const (
	colorFirst  = "\x1b[34m"
	colorSecond = "\x1b[31m"
	colorLast   = "\x1b[1;32m"
	colorOff    = "\x1b[0m"
)

// Draw implements engine.Position: dots, drawn lines and owners with row and
// column numbers around them. The last line is drawn with = or # in its
// place, in colour as well where the terminal has it.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	b := p.board
	out := bufio.NewWriter(w)
	paint := func(color, text string) {
		if style.Color {
			text = color + text + colorOff
		}
		out.WriteString(text)
	}
	isLast := func(s int) bool { return style.Last != nil && int(*style.Last) == s }
	out.WriteString("   ")
	for c := 0; c <= b.Cols; c++ {
		fmt.Fprintf(out, "%-4d", c)
	}
	out.WriteByte('\n')
	for r := 0; r <= b.Rows; r++ {
		fmt.Fprintf(out, "%2d +", r)
		for c := range b.Cols {
			switch s := b.H(r, c); {
			case isLast(s):
				paint(colorLast, "===")
			case p.drawn.Has(s):
				out.WriteString("---")
			default:
				out.WriteString("   ")
			}
			out.WriteByte('+')
		}
		out.WriteByte('\n')
		if r == b.Rows {
			break
		}
		out.WriteString("   ")
		for c := 0; c <= b.Cols; c++ {
			switch s := b.V(r, c); {
			case isLast(s):
				paint(colorLast, "#")
			case p.drawn.Has(s):
				out.WriteByte('|')
			default:
				out.WriteByte(' ')
			}
			if c == b.Cols {
				break
			}
			switch box := b.Square(c, r); {
			case p.Owner(box) == engine.First:
				paint(colorFirst, " 1 ")
			case p.Owner(box) == engine.Second:
				paint(colorSecond, " 2 ")
			case p.Completed(box):
				out.WriteString(" * ")
			default:
				out.WriteString("   ")
			}
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}
