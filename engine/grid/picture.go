package grid

import (
	"fmt"
	"strconv"

	"endwise/engine"
)

// Looks says how a picture shows the parts of a board.
type Looks struct {
	// Segment is the look of a segment: Open, Drawn, Last or Gone.
	Segment func(s int) engine.Look
	// Name is the name of the move that a segment is.
	Name func(s int) string
	// Unit is what a square is called where a segment is read aloud.
	Unit string
	// Square is the look of a square: Owned1, Owned2, Owned or Ground.
	Square func(sq int) engine.Look
}

// signRadius is half the side of the sign on a square that a player has.
const signRadius = 0.27

// Picture draws a board: squares below, then segments, the dots between them and
// the signs of the owners, who differ by colour, form and number. segments.js
// makes the same picture for pages that know no more than a game's messages.
func (b *Board) Picture(looks Looks) engine.Picture {
	pic := engine.Numbered(0, b.Cols, 0, b.Rows)
	at := func(x, y int) (float64, float64) {
		return engine.MarginLeft + float64(x), engine.MarginTop + float64(y)
	}
	var signs []engine.Shape
	for sq := range b.Squares() {
		x, y := at(b.XY(sq))
		look := looks.Square(sq)
		pic.Add(engine.Shape{Kind: engine.Cell, Look: look, X: x, Y: y, X2: x + 1, Y2: y + 1})
		x, y = x+0.5, y+0.5
		switch look {
		case engine.Owned1:
			signs = append(signs, engine.Shape{Kind: engine.Circle, Look: engine.Sign1, X: x, Y: y, R: signRadius})
		case engine.Owned2:
			signs = append(signs, engine.Shape{Kind: engine.Cell, Look: engine.Sign2, X: x - signRadius, Y: y - signRadius, X2: x + signRadius, Y2: y + signRadius})
		default:
			continue
		}
		player := map[engine.Look]int{engine.Owned1: 1, engine.Owned2: 2}[look]
		signs = append(signs, engine.Shape{Kind: engine.Label, Look: engine.Sign, X: x, Y: y, Text: strconv.Itoa(player)})
	}
	for s := range b.Segments() {
		row, col, horizontal := b.Line(s)
		x, y := at(col, row)
		line := engine.Shape{Kind: engine.Line, Look: looks.Segment(s), X: x, Y: y, X2: x, Y2: y + 1, Move: looks.Name(s), Name: b.spoken(s, looks.Unit)}
		if horizontal {
			line.X2, line.Y2 = x+1, y
		}
		pic.Add(line)
	}
	for row := range b.Rows + 1 {
		for col := range b.Cols + 1 {
			x, y := at(col, row)
			pic.Add(engine.Shape{Kind: engine.Circle, Look: engine.Dot, X: x, Y: y, R: 0.08})
		}
	}
	pic.Shapes = append(pic.Shapes, signs...)
	return pic
}

// spoken says where a segment is, in the numbers that stand beside the board.
func (b *Board) spoken(s int, unit string) string {
	row, col, horizontal := b.Line(s)
	where := "left of"
	switch {
	case horizontal && row == b.Rows:
		where, row = "below", row-1
	case horizontal:
		where = "above"
	case col == b.Cols:
		where, col = "right of", col-1
	}
	return fmt.Sprintf("line %s the %s in row %d, column %d", where, unit, row, col)
}

// SegmentLook is the look of a segment in a position with these segments drawn
// and free; last is the one drawn last, -1 for none.
func SegmentLook(s int, drawn, free Set, last int) engine.Look {
	switch {
	case drawn.Has(s) && s == last:
		return engine.Last
	case drawn.Has(s):
		return engine.Drawn
	case free.Has(s):
		return engine.Open
	}
	return engine.Gone
}
