package engine

// Pictured is a Position that can be drawn with a few shapes. Pages and reports
// draw any game from its picture; a game without one is drawn as Draw writes
// it, with a list of the moves beside it.
type Pictured interface {
	Position
	// Picture is the drawing of the position.
	Picture() Picture
}

// Picture is a drawing of X 0..Width to the right and Y 0..Height downwards.
// The unit is free: pages scale the picture. Shapes that come later lie on top.
type Picture struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Shapes []Shape `json:"shapes"`
	// Facts is a sentence about where the game stands, "" for none.
	Facts string `json:"-"`
}

// ShapeKind is the form of a shape.
type ShapeKind string

// The kinds of shape.
const (
	Line   ShapeKind = "line"   // from X, Y to X2, Y2
	Circle ShapeKind = "circle" // around X, Y with the radius R
	Cell   ShapeKind = "cell"   // a rectangle with the corners X, Y and X2, Y2
	Label  ShapeKind = "label"  // Text, centred at X, Y
)

// Look says what a shape stands for; pages choose colours and strokes.
type Look string

// The looks of shapes.
const (
	Ground Look = "ground" // the board itself
	Open   Look = "open"   // what can still be taken or played on
	Gone   Look = "gone"   // what is out of the game
	Owned1 Look = "owned1" // what the first player has
	Owned2 Look = "owned2" // what the second player has
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
	// the place of a move that was played keeps its name.
	Move string `json:"move,omitempty"`
}

// Middle is the point in the middle of the shape.
func (s Shape) Middle() (x, y float64) {
	if s.Kind == Line || s.Kind == Cell {
		return (s.X + s.X2) / 2, (s.Y + s.Y2) / 2
	}
	return s.X, s.Y
}
