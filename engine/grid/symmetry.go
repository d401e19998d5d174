package grid

import "slices"

// Symmetry is a rotation or reflection of a board: Square[i] and Segment[i] are the images of i.
type Symmetry struct {
	Name    string
	Square  []int
	Segment []int
}

// Symmetries returns the board's symmetries, the identity first: 8 if the board has as many rows as
// columns, otherwise 4.
func (b *Board) Symmetries() []Symmetry { return b.symmetries }

// HalfTurn is the index of the rotation by 180 degrees in [Board.Symmetries].
const HalfTurn = 1

// Apply returns the image of a set.
func (y Symmetry) Apply(s Set) Set {
	var out Set
	for _, i := range s.Segments() {
		out.Add(y.Segment[i])
	}
	return out
}

func (b *Board) buildSymmetries() []Symmetry {
	type transform struct {
		name string
		f    func(x, y int) (int, int)
	}
	w, h := b.Cols-1, b.Rows-1
	list := []transform{
		{"identity", func(x, y int) (int, int) { return x, y }},
		{"half turn", func(x, y int) (int, int) { return w - x, h - y }},
		{"left-right", func(x, y int) (int, int) { return w - x, y }},
		{"top-bottom", func(x, y int) (int, int) { return x, h - y }},
	}
	if w == h {
		list = append(list,
			transform{"diagonal", func(x, y int) (int, int) { return y, x }},
			transform{"antidiagonal", func(x, y int) (int, int) { return w - y, w - x }},
			transform{"quarter turn", func(x, y int) (int, int) { return w - y, x }},
			transform{"quarter turn back", func(x, y int) (int, int) { return y, w - x }},
		)
	}
	out := make([]Symmetry, len(list))
	for i, t := range list {
		sy := Symmetry{Name: t.name, Square: make([]int, b.squares), Segment: make([]int, b.segments)}
		for sq := range b.squares {
			x, y := b.XY(sq)
			x2, y2 := t.f(x, y)
			sy.Square[sq] = b.Square(x2, y2)
			for side, s := range b.around[sq] {
				// A border's image is the border in the direction of the transformed step across it.
				x3, y3 := t.f(x+steps[side][0], y+steps[side][1])
				image := slices.Index(steps[:], [2]int{x3 - x2, y3 - y2})
				sy.Segment[s] = b.around[sy.Square[sq]][image]
			}
		}
		out[i] = sy
	}
	return out
}

// steps are the coordinate differences to the squares across the four borders.
var steps = [4][2]int{Top: {0, -1}, Right: {1, 0}, Bottom: {0, 1}, Left: {-1, 0}}
