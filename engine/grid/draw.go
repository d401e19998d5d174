package grid

import (
	"io"
	"strings"
)

// Text contains the texts of a drawing. Lengths are without colours.
type Text struct {
	Numbers func(col int) string // of a column, four characters
	Columns int
	Line    func(row int) string // of a row of dots, three characters
	Row     func(row int) string // of a row of squares, three characters
	// Segment returns three characters for a horizontal segment, one for a vertical one.
	Segment func(s int, horizontal bool) string
	Square  func(sq int) string // three characters
}

// Draw writes the board to w as text. The error is that of w.
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
