package grid

import (
	"fmt"

	"endwise/engine"
)

// Looks contains the functions that style the parts of a board.
type Looks struct {
	Segment func(s int) engine.Look  // Open, Drawn, Last or Gone
	Name    func(s int) string       // of the move that draws a segment
	Dots    bool                     // number rows and columns of dots instead of squares
	Square  func(sq int) engine.Look // Owned1, Owned2, Owned or Ground
}

const (
	signRadius = 0.27 // half the side length of a sign
	dotRadius  = 0.08
)

// Picture returns a picture of the board, as segments.js does for pages that only receive the messages
// of a game.
func (b *Board) Picture(looks Looks) engine.Picture {
	pic := engine.Numbered(0, b.Cols, 0, b.Rows)
	if looks.Dots {
		pic = engine.NumberedDots(b.Cols, b.Rows)
	}
	at := func(x, y int) (float64, float64) {
		return engine.MarginLeft + float64(x), engine.MarginTop + float64(y)
	}
	var signs []engine.Shape
	for sq := range b.Squares() {
		x, y := at(b.XY(sq))
		look := looks.Square(sq)
		pic.Add(engine.Shape{Kind: engine.Cell, Look: look, X: x, Y: y, X2: x + 1, Y2: y + 1})
		signs = append(signs, sign(look, x+0.5, y+0.5)...)
	}
	for s := range b.Segments() {
		row, col, horizontal := b.Line(s)
		x, y := at(col, row)
		line := engine.Shape{
			Kind: engine.Line, Look: looks.Segment(s), X: x, Y: y, X2: x, Y2: y + 1,
			Move: looks.Name(s), Name: b.spokenName(s, looks.Dots),
		}
		if horizontal {
			line.X2, line.Y2 = x+1, y
		}
		pic.Add(line)
	}
	for row := range b.Rows + 1 {
		for col := range b.Cols + 1 {
			x, y := at(col, row)
			pic.Add(engine.Shape{Kind: engine.Circle, Look: engine.Dot, X: x, Y: y, R: dotRadius})
		}
	}
	pic.Shapes = append(pic.Shapes, signs...)
	return pic
}

// sign returns the number of the owner of a square with the centre (x, y) in a circle or square; nothing
// unless look is Owned1 or Owned2.
func sign(look engine.Look, x, y float64) []engine.Shape {
	number := engine.Shape{Kind: engine.Label, Look: engine.Sign, X: x, Y: y}
	switch look {
	case engine.Owned1:
		number.Text = "1"
		return []engine.Shape{{Kind: engine.Circle, Look: engine.Sign1, X: x, Y: y, R: signRadius}, number}
	case engine.Owned2:
		number.Text = "2"
		return []engine.Shape{{
			Kind: engine.Cell, Look: engine.Sign2,
			X: x - signRadius, Y: y - signRadius, X2: x + signRadius, Y2: y + signRadius,
		}, number}
	}
	return nil
}

// spokenName returns the place of a segment in words. dots means that the picture numbers the dots.
func (b *Board) spokenName(s int, dots bool) string {
	row, col, horizontal := b.Line(s)
	if dots {
		direction := "down"
		if horizontal {
			direction = "right"
		}
		return fmt.Sprintf("line %s from the dot in row %d, column %d", direction, row, col)
	}
	side := "left of"
	switch {
	case horizontal && row == b.Rows:
		side, row = "below", row-1
	case horizontal:
		side = "above"
	case col == b.Cols:
		side, col = "right of", col-1
	}
	return fmt.Sprintf("line %s the square in row %d, column %d", side, row, col)
}

// SegmentLook returns the look of segment s. last is the segment drawn last, or -1.
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
