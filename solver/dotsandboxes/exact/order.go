package exact

import (
	"slices"

	"endwise/engine/grid"
)

// The order of lines largely determines the size of the tree. It is fixed for a whole search, except
// that shape.shift changes it on large boards. So both players stay in a small family of positions,
// in which the first lines of the order are drawn and the last ones are free, and the table contains
// most positions that a search meets. A good order cuts the position into independent parts, whose
// keys add up and whose moves commute.

// boardOrder returns the rank of a line in the order for a whole board: interior lines before border
// lines. The weights are fitted to boards up to 4x4 or, if wide is set, to 4x5 with shape.shift.
func boardOrder(b *grid.Board, segment int, wide bool) int {
	r, c, horizontal := b.Line(segment)
	// Twice the distances from the middle of the line to the middle of the board, in boxes.
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

// newBoardGraph returns the graph of all lines of a board. Errors wrap ErrTooLarge.
func newBoardGraph(b *grid.Board) (*graph, error) {
	wide := b.Segments() > smallBoard
	g, err := newRankedGraph(b, b.All(), func(segment int) int { return boardOrder(b, segment, wide) })
	if err == nil {
		g.shifted = wide
	}
	return g, err
}

// dissection returns the rank of each free line of a position, by segment number. It is the nested
// dissection of sparse matrices (George, "Nested dissection of a regular finite element mesh",
// 1973) with the largest separator first: the interior lines along the best cut, then those along
// the best cuts of the two halves, and so on. Border lines come last.
func dissection(b *grid.Board, free grid.Set) []int {
	rank := make([]int, b.Segments())
	for _, s := range free.Segments() {
		rank[s] = b.Segments() + boardOrder(b, s, false)
	}
	next := 0
	parts := []part{{0, 0, b.Rows, b.Cols, interiorLines(b, free)}}
	for len(parts) > 0 {
		p := parts[0]
		parts = parts[1:]
		if len(p.lines) == 0 {
			continue
		}
		along, before, after := p.halve()
		for _, l := range along {
			rank[l.segment] = next
			next++
		}
		parts = append(parts, before, after)
	}
	return rank
}

// part is a rectangle of boxes with the free lines inside; bottom and right are exclusive.
type part struct {
	top, left, bottom, right int
	lines                    []line
}

type line struct {
	segment, row, col int
	horizontal        bool
	weight            int
}

// interiorLines returns the free interior lines of a board. Lines at a box with at most two free
// lines have half the weight of others, because they can be tried after quiet lines.
func interiorLines(b *grid.Board, free grid.Set) (lines []line) {
	for _, s := range free.Segments() {
		sides := b.Sides(s)
		if sides[1] == grid.Outside {
			continue
		}
		l := line{segment: s, weight: 2}
		l.row, l.col, l.horizontal = b.Line(s)
		for _, q := range sides {
			if openLines(b, free, q) <= 2 {
				l.weight = 1
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// halve returns the lines along the best cut of a part, by descending weight, and the two parts
// that the cut separates. The best cut has the least weight relative to the weight of its lighter
// part. The part must contain a line; along may be empty.
func (p *part) halve() (along []line, before, after part) {
	horizontal, where, least := false, 0, 0 // where is 0 until a cut is found
	for _, h := range [2]bool{true, false} {
		from, to := p.left, p.right
		if h {
			from, to = p.top, p.bottom
		}
		for at := from + 1; at < to; at++ {
			_, weight := p.cut(h, at)
			cost := 1000 * (weight[0] + 1) / (min(weight[1], weight[2]) + 1)
			if where == 0 || cost < least {
				horizontal, where, least = h, at, cost
			}
		}
	}
	lines, _ := p.cut(horizontal, where)
	slices.SortStableFunc(lines[0], func(a, b line) int { return b.weight - a.weight })
	before, after = *p, *p
	before.lines, after.lines = lines[1], lines[2]
	if horizontal {
		before.bottom, after.top = where, where
	} else {
		before.right, after.left = where, where
	}
	return lines[0], before, after
}

// cut divides the lines of a part into those along the upper border of row at (horizontal) or the
// left border of column at, those before it and those after it, and sums their weights.
func (p *part) cut(horizontal bool, at int) (lines [3][]line, weight [3]int) {
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
		lines[side] = append(lines[side], l)
		weight[side] += l.weight
	}
	return lines, weight
}

const delay = 12 // places by which shape.shift moves a move back for one reason

// shift returns the number of places by which a move is moved back in the order of moves, negative
// if it is moved forward. Lines at joints of three lines move forward.
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
	smallBoard = 40 // maximum number of lines of a small board; 4x4 has 40
	maxFrames  = 16 // maximum length of Solver.frames
	frameLines = 8  // maximum number of lines of a frame that are not in the position
)

// frame returns a frame of a position: the smallest kept frame that contains it with at most
// frameLines further lines, or a new one. The positions of one game so share a frame and its table
// entries. s.mu must be locked. Errors wrap ErrTooLarge.
func (s *Solver) frame(b *grid.Board, free grid.Set) (*graph, error) {
	n := free.Len()
	best, extra := -1, frameLines+1
	for i, g := range s.frames {
		contains := g.board == b && free.Minus(g.free) == (grid.Set{})
		if contains && g.edges-n < extra {
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
