package dotsandboxes

import (
	"fmt"
	"io"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// Draw draws dots, lines and owners, with the numbers of rows and columns of dots. The last line is
// drawn with = or #.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	line := func(s int, drawn, last string) string {
		switch {
		case style.Last != nil && int(*style.Last) == s:
			return style.Paint("1;32", last)
		case p.drawn.Has(s):
			return drawn
		}
		return strings.Repeat(" ", len(drawn))
	}
	return p.board.Draw(w, grid.Text{
		Columns: p.board.Cols + 1,
		Numbers: func(c int) string { return fmt.Sprintf("%-4d", c) },
		Line:    func(r int) string { return fmt.Sprintf("%2d ", r) },
		Row:     func(int) string { return "   " },
		Segment: func(s int, horizontal bool) string {
			if horizontal {
				return line(s, "---", "===")
			}
			return line(s, "|", "#")
		},
		Square: func(box int) string {
			switch owner := p.Owner(box); {
			case owner == engine.First:
				return style.Paint("34", " 1 ")
			case owner == engine.Second:
				return style.Paint("31", " 2 ")
			case p.Completed(box):
				return " * "
			}
			return "   "
		},
	})
}
