package circuitwars

import (
	"fmt"
	"io"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

const (
	lastColor  = "1;33" // the last move
	faintColor = "2"    // coordinates and dots of free segments
)

var ownerColor = [...]string{engine.First: "1;37;44", engine.Second: "1;30;43", unknownOwner: "7"}

// Draw writes the board as text: lines for drawn segments, dots for free ones, 1 and 2 for the owners
// of squares, or # if the owner is unknown. The last move is drawn with = or #.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	fill := func(sq int, s string) string {
		if o := p.owner[sq]; o != engine.None {
			return style.Paint(ownerColor[o], s)
		}
		return s
	}
	segment := func(s int, occupied, last, free string) string {
		switch {
		case p.drawn.Has(s) && style.Last != nil && int(*style.Last) == s:
			return style.Paint(lastColor, last)
		case p.drawn.Has(s):
			return occupied
		case p.free.Has(s):
			return style.Paint(faintColor, free)
		}
		return fill(p.board.Sides(s)[0], strings.Repeat(" ", len(occupied))) // removed inside an area
	}
	return p.board.Draw(w, grid.Text{
		Columns: p.board.Cols,
		Numbers: func(x int) string { return style.Paint(faintColor, fmt.Sprintf(" %2d ", x)) },
		Line:    func(int) string { return "   " },
		Row:     func(y int) string { return style.Paint(faintColor, fmt.Sprintf("%2d ", y)) },
		Segment: func(s int, horizontal bool) string {
			if horizontal {
				return segment(s, "---", "===", " · ")
			}
			return segment(s, "|", "#", "·")
		},
		Square: func(sq int) string { return fill(sq, " "+string(" 12#"[p.owner[sq]])+" ") },
	})
}
