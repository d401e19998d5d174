package exact

import (
	"slices"

	"endwise/engine/grid"
)

// The order of lines is fixed for a whole search, except for shape.shift on large boards. A
// fixed order keeps both players in a small family of positions, in which the first lines
// of the order are drawn and the last ones are free, so that the table contains most
// positions met. The order largely determines the size of the tree.
//
// A good order cuts the position into independent parts, whose keys add up and whose moves
// commute. Near the empty board tryOrder does this for the whole board. Later the order
// depends on the lines left: dissection is nested dissection (George, "Nested dissection of
// a regular finite element mesh", 1973), the elimination order of sparse matrices, with the
// largest separator first.

// tryOrder returns the rank of a line in the order for a whole board: interior lines before
// border lines, and first those near the board's two middle lines, from the rim inwards,
// which cuts the board into quarters. The weights were found by random search on boards up
// to 4x4 with some lines drawn.
func tryOrder(b *grid.Board, segment int) int { return boardOrder(b, segment, false) }

// boardOrder is tryOrder; if wide is set, it is the order for a whole board of more than
// smallBoard lines, whose weights were found by random search on 4x5 with shape.shift.
func boardOrder(b *grid.Board, segment int, wide bool) int {
	r, c, horizontal := b.Line(segment)
	// Twice the distance from the middle of the line to the middle of the board, in boxes.
	x, y := 2*c-b.Cols, 2*r-b.Rows
	if horizontal {
		x++
	} else {
		y++
	}
	along := horizontal
	if b.Rows > b.Cols {
		x, y, along = y, x, !along
	}
	ax, ay := max(x, -x), max(y, -y)
	rank := 228*min(ax, ay) + 49*ax*ay
	if wide {
		rank += 9*ay*ay - 135*ax - 47*ay + 3*y
	} else {
		rank -= 40*ax + 76*ay + 5*y
	}
	switch {
	case along && wide:
		rank += 89
	case along:
		rank += 70
	}
	if b.Sides(segment)[1] == grid.Outside {
		rank += 10_000
	}
	return rank
}

// newBoardGraph returns the graph of all lines of a board, in the board's order.
func newBoardGraph(b *grid.Board) (*graph, error) {
	wide := b.Segments() > smallBoard
	g, err := newRankedGraph(b, b.All(), func(segment int) int { return boardOrder(b, segment, wide) })
	if err == nil {
		g.shifted = wide
	}
	return g, err
}

// dissection ranks the free lines of a position, lowest first: the interior lines along the
// cut that separates most boxes with fewest lines, then those along the cuts of the two
// halves, and so on; border lines come last. Lines that give away a box count half in a cut
// and come last in it, because they can be tried after quiet lines without leaving the
// family of positions.
func dissection(b *grid.Board, free grid.Set) []int {
	type line struct {
		segment, row, col, weight int
		horizontal                bool
	}
	rank := make([]int, b.Segments())
	var lines []line
	for _, s := range free.Segments() {
		rank[s] = b.Segments() + tryOrder(b, s)
		if sides := b.Sides(s); sides[1] != grid.Outside {
			l := line{segment: s, weight: 2}
			l.row, l.col, l.horizontal = b.Line(s)
			for _, q := range sides {
				open := 0
				for _, around := range b.Around(q) {
					if free.Has(around) {
						open++
					}
				}
				if open <= 2 {
					l.weight = 1
				}
			}
			lines = append(lines, l)
		}
	}
	// part is a rectangle of boxes with the lines inside; bottom and right are exclusive.
	type part struct {
		top, left, bottom, right int
		lines                    []line
	}
	next := 0
	parts := []part{{0, 0, b.Rows, b.Cols, lines}}
	for len(parts) > 0 {
		p := parts[0]
		parts = parts[1:]
		if len(p.lines) == 0 {
			continue
		}
		// cut divides the lines of p by a row or column: the lines on it, before it and
		// after it.
		cut := func(horizontal bool, at int) (sides [3][]line, weight [3]int) {
			for _, l := range p.lines {
				x := l.col
				if horizontal {
					x = l.row
				}
				side := 2
				switch {
				case x < at:
					side = 1
				case x == at && l.horizontal == horizontal:
					side = 0
				}
				sides[side] = append(sides[side], l)
				weight[side] += l.weight
			}
			return sides, weight
		}
		horizontal, where, least := false, 0, 0
		try := func(h bool, from, to int) {
			for at := from + 1; at < to; at++ {
				_, w := cut(h, at)
				if cost := 1000 * (w[0] + 1) / (min(w[1], w[2]) + 1); where == 0 || cost < least {
					horizontal, where, least = h, at, cost
				}
			}
		}
		try(true, p.top, p.bottom)
		try(false, p.left, p.right)
		sides, _ := cut(horizontal, where)
		slices.SortStableFunc(sides[0], func(a, b line) int { return b.weight - a.weight })
		for _, l := range sides[0] {
			rank[l.segment] = next
			next++
		}
		before, after := p, p
		before.lines, after.lines = sides[1], sides[2]
		if horizontal {
			before.bottom, after.top = where, where
		} else {
			before.right, after.left = where, where
		}
		parts = append(parts, before, after)
	}
	return rank
}

// delay is the number of places by which each reason moves a move back.
const delay = 12

// shift returns the number of places by which a move is moved back: moves that give away
// boxes, especially long chains, and lines at the ground. In a dissection, a line at a
// joint of three lines moves forward by overtake, because the joint becomes part of a
// chain. So quiet interior lines come first, led by those after which the fewest quiet
// lines are left.
func (s *shape) shift(m *Move, overtake int16) (n int16) {
	if m.chain < 0 {
		return 8 * delay // an isolated component
	}
	c := &s.chains[m.chain]
	switch {
	case c.a == c.b && s.degree[c.a] == 3:
		return 8 * delay // the joint is captured
	case c.length > 2:
		n += 2 * delay
	case c.length > 0:
		n += delay
	}
	for _, end := range [2]uint8{c.a, c.b} {
		if end == ground {
			n += delay
		} else if s.degree[end] == 3 {
			n -= overtake
		}
	}
	return n
}

const (
	// smallBoard is the maximum number of lines of a board on which all positions use the
	// board's order: 4x4 and less, where searches begin near the empty board and the table
	// contains proofs found with that order.
	smallBoard = 40
	// maxFrames is the maximum number of frames kept for larger boards, and frameLines the
	// maximum number of lines by which a position may be smaller than its frame. The
	// positions of one game should share a frame, and so one family of positions and its
	// table entries.
	maxFrames  = 16
	frameLines = 8
)

// frame returns the frame of a position on a larger board: the smallest kept frame that
// contains it, or a new one.
func (s *Solver) frame(b *grid.Board, free grid.Set) (*graph, error) {
	n := free.Len()
	best, extra := -1, frameLines+1
	for i, g := range s.frames {
		if g.board == b && g.edges-n < extra && free.Minus(g.free) == (grid.Set{}) {
			best, extra = i, g.edges-n
		}
	}
	if best >= 0 {
		g := s.frames[best]
		s.frames = append(slices.Delete(s.frames, best, best+1), g)
		return g, nil
	}
	rank := dissection(b, free)
	g, err := newRankedGraph(b, free, func(segment int) int { return rank[segment] })
	if err != nil {
		return nil, err
	}
	g.shifted, g.overtake = true, delay
	if len(s.frames) == maxFrames {
		s.frames = slices.Delete(s.frames, 0, 1)
	}
	s.frames = append(s.frames, g)
	return g, nil
}
