package engine

import "strconv"

// Picture is a drawing of X 0..Width to the right and Y 0..Height downwards, with
// numbers and margins. The unit is the side of a square; a value that lies on the
// picture takes about half of it. Shapes that come later lie on top.
type Picture struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Shapes []Shape `json:"shapes"`
	// Facts is a sentence about where the game stands, "" for none.
	Facts string `json:"-"`
	// News says in words what the last move did, "" for nothing of note.
	News string `json:"-"`
}

// Margins of a picture around its board: for the numbers of rows and columns,
// and for values that stick out to the left and to the right.
const (
	MarginLeft, MarginTop     = 0.75, 0.6
	MarginRight, MarginBottom = 0.4, 0.2
)

// Numbered is the empty picture of a board of squares, with the numbers of its
// columns and rows, which begin with left and top.
func Numbered(left, cols, top, rows int) Picture {
	p := Picture{Width: MarginLeft + float64(cols) + MarginRight, Height: MarginTop + float64(rows) + MarginBottom}
	for x := range cols {
		p.Add(Shape{Kind: Label, X: MarginLeft + float64(x) + 0.5, Y: 0.22, Text: strconv.Itoa(left + x)})
	}
	for y := range rows {
		p.Add(Shape{Kind: Label, X: 0.12, Y: MarginTop + float64(y) + 0.5, Text: strconv.Itoa(top + y)})
	}
	return p
}

// Add lays a shape on top of the picture.
func (p *Picture) Add(s Shape) { p.Shapes = append(p.Shapes, s) }

// ShapeKind is the form of a shape.
type ShapeKind string

// The kinds of shape.
const (
	Line   ShapeKind = "line"   // from X, Y to X2, Y2
	Circle ShapeKind = "circle" // around X, Y with the radius R
	Cell   ShapeKind = "cell"   // a rectangle with the corners X, Y and X2, Y2
	Cross  ShapeKind = "cross"  // both diagonals of that rectangle
	Label  ShapeKind = "label"  // Text, centred at X, Y
	// Arrow is a move that takes what lies at X, Y to X2, Y2. It is chosen by
	// these two places, and seen only where the move is pointed out.
	Arrow ShapeKind = "arrow"
)

// Look says what a shape stands for; board.css in package svg chooses colours
// and strokes.
type Look string

// The looks of shapes.
const (
	Ground Look = "ground" // an area that nobody has
	Field  Look = "field"  // a square that pieces may stand on
	Corner Look = "corner" // squares that belong to nobody and are hostile to all
	Barred Look = "barred" // where the mover may not go
	Ring   Look = "ring"   // what vanishes next
	Dot    Look = "dot"    // a point where lines meet
	Open   Look = "open"   // what can still be taken or played on
	Drawn  Look = "drawn"  // what was taken or drawn
	Last   Look = "last"   // the same by the last move, or where that move went
	Gone   Look = "gone"   // what is out of the game
	Owned1 Look = "owned1" // what the first player has
	Owned2 Look = "owned2" // what the second player has
	Owned  Look = "owned"  // what one of them has, nobody knows who
	Sign1  Look = "sign1"  // the first player's sign on that
	Sign2  Look = "sign2"  // the second player's sign
	Sign   Look = "sign"   // what is written on a sign
	Piece1 Look = "piece1" // a piece of the first player
	Piece2 Look = "piece2" // a piece of the second player
	Doomed Look = "doomed" // a piece that will be lost as things stand
	Died   Look = "died"   // where a piece was that the last move cost
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
	// Move is the move that the shape stands for, as MoveString writes it, ""
	// for none. A shape can be pressed where its move is legal; it need not be:
	// the place of a move that was played keeps its name. A legal move has one
	// shape.
	Move string `json:"move,omitempty"`
	// Name is what a place or a move is called where it is read aloud, "" for
	// Move. A place where arrows begin has a name.
	Name string `json:"name,omitempty"`
}

// Middle is the point in the middle of the shape, of an arrow where it leads.
func (s Shape) Middle() (x, y float64) {
	switch s.Kind {
	case Line, Cell, Cross:
		return (s.X + s.X2) / 2, (s.Y + s.Y2) / 2
	case Arrow:
		return s.X2, s.Y2
	}
	return s.X, s.Y
}
