// Package grid provides the board of the segment games, Circuit Wars and Dots and Boxes:
// rows x cols squares and the unit segments around them. [Board] contains the geometry,
// [Set] is a set of segments. The package has no rules.
//
// Squares are numbered row by row, y*cols+x, with x the column from the left
// and y the row from the top. Segments are numbered, horizontal ones first:
//
//	h(r, c) = r*cols + c                 r 0..rows, c 0..cols-1
//	v(r, c) = H + r*(cols+1) + c         r 0..rows-1, c 0..cols
//
// where H = (rows+1)*cols. An inner segment has two names, for instance (x, y, right) and (x+1, y, left).
package grid

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"endwise/engine"
)

// MaxSegments is the maximum number of segments of a board.
const MaxSegments = 192

// MaxSide is the maximum number of squares along a side of a board.
const MaxSide = 40

// Outside is the number of the outside of the board in place of a square.
const Outside = -1

// Border is one of the four sides of a square.
type Border uint8

const (
	Top Border = iota
	Right
	Bottom
	Left
)

var borderNames = [4]string{"top", "right", "bottom", "left"}

func (b Border) String() string { return borderNames[b&3] }

// ParseBorder returns the border with the name s.
func ParseBorder(s string) (Border, error) {
	for i, n := range borderNames {
		if s == n {
			return Border(i), nil
		}
	}
	return 0, fmt.Errorf("a square has no side %.40q: write top, right, bottom or left", s)
}

// Set is a set of segments; segment i is bit i%64 of word i/64.
type Set [MaxSegments / 64]uint64

// Has reports whether segment i, 0..MaxSegments-1, is in the set.
func (s Set) Has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

func (s *Set) Add(i int) { s[i>>6] |= 1 << (i & 63) }

func (s *Set) Remove(i int) { s[i>>6] &^= 1 << (i & 63) }

// Minus returns the segments of s that are not in o.
func (s Set) Minus(o Set) Set {
	for k := range s {
		s[k] &^= o[k]
	}
	return s
}

// Len returns the number of segments in the set.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Segments returns the segments of the set in ascending order.
func (s Set) Segments() []int {
	out := make([]int, 0, s.Len())
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, k<<6+bits.TrailingZeros64(w))
		}
	}
	return out
}

// Moves returns the segments as moves.
func (s Set) Moves() []engine.Move {
	segments := s.Segments()
	out := make([]engine.Move, len(segments))
	for i, t := range segments {
		out[i] = engine.Move(t)
	}
	return out
}

// Board contains the geometry of the boards of one size. [New] returns the same pointer for the same size.
type Board struct {
	Rows, Cols int
	squares    int
	horizontal int // horizontal segments
	segments   int
	around     [][4]int // indexed by Border
	sides      [][2]int // Outside last
	symmetries []Symmetry

	orienters     []orienter // one per symmetry
	parallels     []parallel // one per square with more than one border segment
	firstParallel []int      // border segment → the first one of its square; inner segment → itself
}

var (
	boardsMu sync.Mutex
	boards   = map[[2]int]*Board{}
)

// New returns the board of rows x cols squares. It returns an error if a side is less than 1 or more
// than [MaxSide], or if the board would have more than [MaxSegments] segments.
func New(rows, cols int) (*Board, error) {
	if rows < 1 || cols < 1 || rows > MaxSide || cols > MaxSide {
		return nil, fmt.Errorf("board %dx%d: sides must be 1 to %d, and segments at most %d",
			rows, cols, MaxSide, MaxSegments)
	}
	if n := rows*(cols+1) + (rows+1)*cols; n > MaxSegments {
		return nil, fmt.Errorf("board %dx%d has %d segments, at most %d are possible", rows, cols, n, MaxSegments)
	}
	boardsMu.Lock()
	defer boardsMu.Unlock()
	if b, ok := boards[[2]int{rows, cols}]; ok {
		return b, nil
	}
	b := build(rows, cols)
	boards[[2]int{rows, cols}] = b
	return b, nil
}

// ParseSize parses a size like "7x7" or "7×7" (rows x cols). A single number means a square
// board. ParseSize does not check the range of the numbers; see [New].
func ParseSize(s string) (rows, cols int, err error) {
	r, c, two := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "×", "x"), "x")
	if !two {
		c = r
	}
	rows, err1 := strconv.Atoi(r)
	cols, err2 := strconv.Atoi(c)
	if err1 != nil || err2 != nil {
		return 0, 0, fmt.Errorf("board size %.40q: write rows x columns, for instance 3x3", s)
	}
	return rows, cols, nil
}

// Parse returns the board of the size that ParseSize reads from s.
func Parse(s string) (*Board, error) {
	rows, cols, err := ParseSize(s)
	if err != nil {
		return nil, err
	}
	return New(rows, cols)
}

func build(rows, cols int) *Board {
	b := &Board{Rows: rows, Cols: cols, squares: rows * cols, horizontal: (rows + 1) * cols}
	b.segments = b.horizontal + rows*(cols+1)
	b.around = make([][4]int, b.squares)
	b.sides = make([][2]int, b.segments)
	for i := range b.sides {
		b.sides[i] = [2]int{Outside, Outside}
	}
	for y := range rows {
		for x := range cols {
			sq := y*cols + x
			b.around[sq] = [4]int{
				Top:    b.H(y, x),
				Right:  b.V(y, x+1),
				Bottom: b.H(y+1, x),
				Left:   b.V(y, x),
			}
			for _, s := range b.around[sq] {
				if b.sides[s][0] == Outside {
					b.sides[s][0] = sq
				} else {
					b.sides[s][1] = sq
				}
			}
		}
	}
	b.symmetries = b.buildSymmetries()
	b.buildCanonical()
	return b
}

func (b *Board) String() string { return fmt.Sprintf("%dx%d", b.Rows, b.Cols) }

func (b *Board) Squares() int { return b.squares }

func (b *Board) Segments() int { return b.segments }

// FinalScore returns the score of a finished game in which the first player has lead more squares.
func (b *Board) FinalScore(lead int) [2]int {
	return [2]int{(b.squares + lead) / 2, (b.squares - lead) / 2}
}

// H returns the horizontal segment in column c on grid line r, 0..Rows from the top.
func (b *Board) H(r, c int) int { return r*b.Cols + c }

// V returns the vertical segment in row r on grid line c, 0..Cols from the left.
func (b *Board) V(r, c int) int { return b.horizontal + r*(b.Cols+1) + c }

// Line is the inverse of H and V: s is H(r, c) if horizontal, otherwise V(r, c).
func (b *Board) Line(s int) (r, c int, horizontal bool) {
	if s < b.horizontal {
		return s / b.Cols, s % b.Cols, true
	}
	s -= b.horizontal
	return s / (b.Cols + 1), s % (b.Cols + 1), false
}

func (b *Board) Square(x, y int) int { return y*b.Cols + x }

func (b *Board) XY(sq int) (x, y int) { return sq % b.Cols, sq / b.Cols }

// Around returns the four segments of a square, indexed by [Border].
func (b *Board) Around(sq int) [4]int { return b.around[sq] }

// Sides returns the two squares next to a segment, the lower number first. The second is
// [Outside] for a border segment.
func (b *Board) Sides(s int) [2]int { return b.sides[s] }

// Segment returns the segment on the given side of square (x, y), or an error if the square
// is outside the board.
func (b *Board) Segment(x, y int, side Border) (int, error) {
	if x < 0 || x >= b.Cols || y < 0 || y >= b.Rows {
		return 0, fmt.Errorf("square %d,%d is outside the %s board: columns are 0 to %d, rows 0 to %d", x, y, b, b.Cols-1, b.Rows-1)
	}
	return b.around[b.Square(x, y)][side&3], nil
}

// Name returns the name of segment s by the lower-numbered square next to it.
func (b *Board) Name(s int) (x, y int, side Border) {
	sq := b.sides[s][0]
	x, y = b.XY(sq)
	return x, y, Border(slices.Index(b.around[sq][:], s))
}

// All returns the set of all segments.
func (b *Board) All() Set {
	var s Set
	for i := range b.segments {
		s.Add(i)
	}
	return s
}

// Grounded reports for each square whether a path across segments of free connects it to the
// outside of the board.
func (b *Board) Grounded(free Set) []bool {
	out := make([]bool, b.squares)
	var stack []int // whose neighbours have not been visited
	reach := func(sq int) {
		if sq != Outside && !out[sq] {
			out[sq] = true
			stack = append(stack, sq)
		}
	}
	for s, sides := range b.sides {
		if sides[1] == Outside && free.Has(s) {
			reach(sides[0])
		}
	}
	for len(stack) > 0 {
		sq := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range b.around[sq] {
			if free.Has(s) {
				reach(b.sides[s][0])
				reach(b.sides[s][1])
			}
		}
	}
	return out
}

// Live returns the segments of free with only [Board.Grounded] squares next to them, and the number of
// grounded squares.
func (b *Board) Live(free Set) (live Set, squares int) {
	for sq, grounded := range b.Grounded(free) {
		if grounded {
			squares++
			continue
		}
		for _, s := range b.around[sq] {
			free.Remove(s)
		}
	}
	return free, squares
}
