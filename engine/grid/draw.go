package grid

import (
	"io"
	"strings"
)

// Text says how a board is drawn in letters.
type Text struct {
	Numbers func(col int) string // what stands above a column, in four columns
	Columns int                  // how many of those there are
	Line    func(row int) string // what stands before a row of points, in three columns
	Row     func(row int) string // what stands before a row of squares, in three columns
	// Segment draws a segment: three columns for a horizontal one, one for others.
	Segment func(s int, horizontal bool) string
	Square  func(sq int) string // three columns
}

// Draw writes the board: points and the segments between them, around squares.
func (b *Board) Draw(w io.Writer, t Text) error {
	var out strings.Builder
	out.WriteString("   ")
	for x := range t.Columns {
		out.WriteString(t.Numbers(x))
	}
	out.WriteString("\n")
	for y := range b.Rows + 1 {
		out.WriteString(t.Line(y))
		for x := range b.Cols {
			out.WriteString("+" + t.Segment(b.H(y, x), true))
		}
		out.WriteString("+\n")
		if y == b.Rows {
			break
		}
		out.WriteString(t.Row(y))
		for x := range b.Cols {
			out.WriteString(t.Segment(b.V(y, x), false) + t.Square(b.Square(x, y)))
		}
		out.WriteString(t.Segment(b.V(y, b.Cols), false) + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}
