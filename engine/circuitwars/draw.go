package circuitwars

import (
	"fmt"
	"io"
	"strings"

	"endwise/engine"
)

// ANSI sequences of the drawn board.
const (
	ansiReset = "\x1b[0m"
	ansiLast  = "\x1b[1;33m" // the last move
	ansiFaint = "\x1b[2m"    // coordinates and dots of free segments
)

var ansiOwner = [...]string{engine.First: "\x1b[1;37;44m", engine.Second: "\x1b[1;30;43m", unknownOwner: "\x1b[7m"}

// Draw writes the board with coordinates: +---+ are occupied segments, dots
// free ones, 1 and 2 the owners (# where only the score is known). The last
// move is drawn with = or #, in colour where the terminal has it.
func (p Position) Draw(w io.Writer, style engine.DrawStyle) error {
	last := -1
	if style.Last != nil {
		last = int(*style.Last)
	}
	paint := func(code, s string) string {
		if !style.Color || code == "" {
			return s
		}
		return code + s + ansiReset
	}
	// segment renders one segment: how it looks when occupied, when it was the
	// last move, when it is free, and when it vanished inside an area.
	segment := func(s int, occupied, played, free, gone string) string {
		switch {
		case s == last && p.drawn.Has(s):
			return paint(ansiLast, played)
		case p.drawn.Has(s):
			return occupied
		case p.free.Has(s):
			return paint(ansiFaint, free)
		}
		return gone
	}
	fill := func(sq int, s string) string {
		if o := p.owner[sq]; o != engine.None {
			return paint(ansiOwner[o], s)
		}
		return s
	}
	b := p.board
	var out strings.Builder
	out.WriteString("   ")
	for x := range b.Cols {
		out.WriteString(paint(ansiFaint, fmt.Sprintf(" %2d ", x)))
	}
	out.WriteString("\n")
	for y := range b.Rows + 1 {
		out.WriteString("   ")
		for x := range b.Cols {
			gone := "   "
			if y < b.Rows {
				gone = fill(b.Square(x, y), gone)
			}
			out.WriteString("+" + segment(b.H(y, x), "---", "===", " · ", gone))
		}
		out.WriteString("+\n")
		if y == b.Rows {
			break
		}
		out.WriteString(paint(ansiFaint, fmt.Sprintf("%2d ", y)))
		for x := range b.Cols + 1 {
			gone := " "
			if x < b.Cols {
				gone = fill(b.Square(x, y), gone)
			}
			out.WriteString(segment(b.V(y, x), "|", "#", "·", gone))
			if x < b.Cols {
				sq := b.Square(x, y)
				out.WriteString(fill(sq, " "+string(" 12#"[p.owner[sq]])+" "))
			}
		}
		out.WriteString("\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}
