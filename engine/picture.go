package engine

import "strconv"

// Picture is a drawing with X from 0 to Width to the right and Y from 0 to Height
// downwards. The unit is the side of a square. Later shapes cover earlier ones.
type Picture struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Shapes []Shape `json:"shapes"`
	Facts  string  `json:"-"` // a sentence about the state of the game, or ""
	News   string  `json:"-"` // the effect of the last move, or ""
}

// Margins of a picture around its board, for the numbers of rows and columns.
const (
	MarginLeft, MarginTop     = 0.6, 0.55
	MarginRight, MarginBottom = 0.4, 0.15
)

// Numbered returns a picture that contains only the numbers of the columns and rows of a board
// of cols x rows squares. The first column has the number left, the first row the number top.
func Numbered(left, cols, top, rows int) Picture { return numbered(left, cols, top, rows, 0.5) }

// NumberedDots is like Numbered, but numbers the columns and rows of dots, from 0.
func NumberedDots(cols, rows int) Picture { return numbered(0, cols, 0, rows, 0) }

// numbered returns a picture that contains only the numbers of columns and rows. distance is the
// distance of a number from the left or upper side of its square: 0.5 numbers the squares, and 0
// the dots, of which there is one more in each direction.
func numbered(left, cols, top, rows int, distance float64) Picture {
	p := Picture{Width: MarginLeft + float64(cols) + MarginRight, Height: MarginTop + float64(rows) + MarginBottom}
	if distance == 0 {
		cols, rows = cols+1, rows+1
	}
	for x := range cols {
		p.Add(Shape{Kind: Label, X: MarginLeft + float64(x) + distance, Y: 0.22, Text: strconv.Itoa(left + x)})
	}
	for y := range rows {
		p.Add(Shape{Kind: Label, X: 0.12, Y: MarginTop + float64(y) + distance, Text: strconv.Itoa(top + y)})
	}
	return p
}

func (p *Picture) Add(s Shape) { p.Shapes = append(p.Shapes, s) }

type ShapeKind string

const (
	Line   ShapeKind = "line"   // from X, Y to X2, Y2
	Circle ShapeKind = "circle" // around X, Y with the radius R
	Cell   ShapeKind = "cell"   // a rectangle with the corners X, Y and X2, Y2
	Cross  ShapeKind = "cross"  // the two diagonals of a rectangle with these corners
	Label  ShapeKind = "label"  // Text, centred at X, Y
	// Arrow is a move of the piece at X, Y to X2, Y2. It is visible only if its move is highlighted.
	Arrow ShapeKind = "arrow"
)

// Look is the meaning of a shape; board.css in package svg defines its colours and strokes.
type Look string

const (
	Ground Look = "ground" // an area without an owner
	Field  Look = "field"  // a square that pieces may occupy
	Corner Look = "corner" // a square that is hostile to both sides
	Barred Look = "barred" // a place forbidden to the mover
	Ring   Look = "ring"   // a square that the next shrink removes
	Dot    Look = "dot"    // a point where lines meet
	Open   Look = "open"   // a segment that can be drawn, or a square that can be taken
	Drawn  Look = "drawn"  // a segment that was drawn, or a square that was taken
	Last   Look = "last"   // the segment of the last move, or its destination
	Gone   Look = "gone"   // a part of the board that is out of the game
	Owned1 Look = "owned1" // owned by the first player
	Owned2 Look = "owned2" // owned by the second player
	Owned  Look = "owned"  // owned by an unknown player
	Sign1  Look = "sign1"  // the first player's sign on an owned square
	Sign2  Look = "sign2"  // the second player's sign on an owned square
	Sign   Look = "sign"   // the text of a sign
	Piece1 Look = "piece1" // a piece of the first player
	Piece2 Look = "piece2" // a piece of the second player
	Doomed Look = "doomed" // a piece that will be lost unless a move saves it
	Died   Look = "died"   // a square whose piece was lost by the last move
	Step   Look = "step"   // an arrow to a neighbour
	Jump   Look = "jump"   // an arrow over a piece
)

// Shape is a part of a picture.
type Shape struct {
	Kind ShapeKind `json:"kind"`
	Look Look      `json:"look,omitempty"`
	X    float64   `json:"x"`
	Y    float64   `json:"y"`
	X2   float64   `json:"x2,omitempty"`
	Y2   float64   `json:"y2,omitempty"`
	R    float64   `json:"r,omitempty"`
	Text string    `json:"text,omitempty"`
	// Move is the move that the shape represents, as MoveString writes it, or "". Each legal
	// move has one shape. The shapes of moves that have been played also have a Move.
	Move string `json:"move,omitempty"`
	Name string `json:"name,omitempty"` // for screen readers; "" means Move
}

// Middle returns the centre of the shape; for an arrow, its end.
func (s Shape) Middle() (x, y float64) {
	switch s.Kind {
	case Line, Cell, Cross:
		return (s.X + s.X2) / 2, (s.Y + s.Y2) / 2
	case Arrow:
		return s.X2, s.Y2
	}
	return s.X, s.Y
}
