package exact

import (
	"slices"

	"endwise/engine/grid"
)

// The order in which lines are tried is fixed for a whole search, but for the shifts
// of shape.shift on large boards: it keeps both players inside a small family of positions, those in which the first lines of
// the order are drawn and the last ones are free, which the table then knows.
// How large the tree becomes depends on the order for the most part.
//
// A good order cuts the position into parts that no longer touch, for their
// keys add up and their moves commute. Near the empty board that is a matter of
// the board (tryOrder). Later it is one of the lines that are left: dissection
// is nested dissection (George, "Nested dissection of a regular finite element
// mesh", 1973), the order in which sparse matrices are eliminated, with the
// largest separator first. On 5x5 it makes the trees of ten positions with 12
// safe lines 29 % smaller than tryOrder, and with 10 safe lines 24 %.

// tryOrder is the rank of a line in the order of a whole board: interior
// lines before those of the border, and first those near the board's two
// middle lines, from the rim inwards, which cuts the board into quarters. The
// weights come from a random search on boards up to 4x4 with some lines drawn. Those of
// boardOrder for wide boards come from one on 4x5 with 39 lines left and the shifts below
// (six positions, two climbs of ten minutes); on positions it had not seen they expand
// 3.2 times less than the others with 40 lines left (five), 2.0 times with 42 (three). 4x4
// takes 20.8 million expansions with them for 18.0.
// A fixed order keeps both players inside one small family of positions. Tried in
// its place: history and bounds from the table made trees larger; first the line that
// makes the position symmetric, 2 to 4 times the expansions (3x4); first what refuted
// the last sibling, 1.6 to 3 times (3x4), 1.5 times (4x4); all moves with few
// expansions first, 0.85 to 1.2 times (4x4); in the first lines of all what live search
// likes best, 2.9 to 5 times (3x4), more than three times (4x4). The best choice there, known
// from an earlier run, saves 23 % of 4x4. Numbers of joints and of chains by length do not
// tell whether a position reaches its threshold: boosted trees fitted to 340 thousand of 4x4
// are right in 81.8 % of others, of which 80.5 % reach it. With the parity of lines less boxes
// less long chains that stand alone, a network of 24 hidden units does tell which of the moves
// tried reach theirs (area under its curve 0.90 on others of 3x4, 0.68 for the place in this
// order), and to try them by what it says takes 44 % more expansions, by a mix of both at best 4 %
// fewer: a choice that is right more often leaves the family more often. From the centre
// outwards, as Barker and Korf (2012) have it, both bounds of 3x4 take 339 thousand, from above
// downwards 1.8 million, in this order 119 thousand. A climb over orders of 3x4, a line moved
// at a time, ended 12 % below this one. The proofs in the table at the end hold
// 3.8 million of 4x4's 18.0 million expansions, and 70 thousand of 3x4's 94 thousand. All
// this was counted before the moves of a position were looked up together (lookUp): now 4x4
// takes 14.8 million.
func tryOrder(b *grid.Board, segment int) int { return boardOrder(b, segment, false) }

// boardOrder is tryOrder, or where wide says so the order of a whole board of more than
// smallBoard lines.
func boardOrder(b *grid.Board, segment int, wide bool) int {
	r, c, horizontal := b.Line(segment)
	// Twice the distance of the line's middle from the board's, in boxes.
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

// newBoardGraph is the graph of all lines of a board, in the board's order.
func newBoardGraph(b *grid.Board) (*graph, error) {
	wide := b.Segments() > smallBoard
	g, err := newRankedGraph(b, b.All(), func(segment int) int { return boardOrder(b, segment, wide) })
	if err == nil {
		g.late = wide
	}
	return g, err
}

// dissection ranks the free lines of a position, lowest first: those inside the
// board along the cut that separates most with fewest lines, then those along
// the cuts of the two halves, and so on, lines of the border last. Lines that
// give a box away count half in a cut, and come last in it: they can be tried
// later than quiet ones without leaving the family.
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
	// part is a rectangle of boxes, from its upper left one to below and right
	// of its lower right one, with the lines inside.
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
		// cut divides the lines of p: those across a row or column, those
		// before and those behind.
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
		before, behind := p, p
		before.lines, behind.lines = sides[1], sides[2]
		if horizontal {
			before.bottom, behind.top = where, where
		} else {
			before.right, behind.left = where, where
		}
		parts = append(parts, before, behind)
	}
	return rank
}

// lateBy is how many moves a move is passed over for each reason to.
const lateBy = 12

// shift says how much later than its turn a move is tried: chains to the ground
// and those of boxes, long ones most, wait. In a dissection a line at a joint of three
// lines, which becomes part of a chain by it, overtakes others (overtake). So quiet
// lines inside come first, those that leave fewest quiet lines foremost.
//
// On 5x5 with 34, 36, 38 and 40 lines left after random quiet ones the search expands
// 39, 32, 39 and 36 % less (68 positions). On 4x5 in the board's order, after its
// centre line, quiet ones by turns at random and near the first of the order, it
// expands 1.8 and 2.9 times less with 38 and 43 lines left (12 and 3 positions), where
// a dissection gains 2.4 times with 38 and loses with 43; to overtake costs a factor of
// two with 38. Up to 4x4 the bare order is better, whose
// ranks were fitted there: with these shifts, without overtaking, 3x5 took 14.4
// million expansions for 13.9, 4x4 21.6 for 18.0.
func (s *shape) shift(m *Move, overtake int16) (n int16) {
	if m.chain < 0 {
		return 8 * lateBy // stands alone, or captures a joint
	}
	c := &s.chains[m.chain]
	switch {
	case c.length > 2:
		n += 2 * lateBy
	case c.length > 0:
		n += lateBy
	}
	for _, end := range [2]uint8{c.a, c.b} {
		if end == ground {
			n += lateBy
		} else if s.degree[end] == 3 {
			n -= overtake
		}
	}
	return n
}

const (
	// smallBoard is the number of lines up to which the board's order serves
	// all positions: 4x4 and less, where search begins near the empty board
	// and the table holds what was proved with that order.
	smallBoard = 40
	// maxFrames is how many frames of larger boards are kept, and frameLines
	// how many lines a position may have less than the frame that it is looked
	// at in. Positions of one game should share a frame, and so one family, or
	// they learn little from each other.
	maxFrames  = 16
	frameLines = 8
)

// frame finds the frame of a position on a larger board: that of an earlier
// one with few lines more, the nearest, or one of its own.
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
	g.late, g.overtake = true, lateBy
	if len(s.frames) == maxFrames {
		s.frames = slices.Delete(s.frames, 0, 1)
	}
	s.frames = append(s.frames, g)
	return g, nil
}
