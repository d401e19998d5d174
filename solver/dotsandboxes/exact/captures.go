package exact

import (
	"endwise/engine/grid"
	"endwise/solver"
)

// infinity is the price if no double-deal is possible: larger than any value, so declining
// is never better than taking.
const infinity = 1 << 12

// Closure describes a position G by the position R after all possible captures.
//
// T1. Capturing in any order leads to the same position R, in which no box has exactly one
// free line (an R-type position): captures only remove lines, so a box that can be captured
// remains capturable. Let K be the number of boxes captured on the way. The mover has two
// candidates: take all boxes and move from R, or take all but the last few and draw a line that
// gives these away in one stroke. The opponent then takes them and must move from R. (Leaving
// boxes and playing elsewhere is no better, because they stay capturable for both.)
//
//	V(G) = K + max(V(R), -h - V(R))
//
// Here h, twice the number of boxes given away, is 4 if a captured tree of at least two
// boxes hangs on R or the ground by an edge (drawing that edge leaves a domino), else 8 if
// a captured tree that does not hang is not a star (drawing an edge between two inner boxes
// leaves two dominoes). Otherwise a double-deal is impossible.
type Closure struct {
	Rest  grid.Set // R: the lines left
	Taken int      // K: boxes captured
	Price int      // h: the cost of the double-deal, or infinity
}

// Close returns the closure of any position, given by its free lines. The search needs it
// only at the root: for the position after a move of an R-type position, Taken and Price
// follow from the chain of the move (moves.go).
func Close(b *grid.Board, free grid.Set) Closure {
	c := Closure{Rest: free, Price: infinity}
	captured := make([]bool, b.Squares())
	var capturable []int // boxes with one free line, and captured ones
	for q := range captured {
		if openLines(b, c.Rest, q) == 1 {
			capturable = append(capturable, q)
		}
	}
	for len(capturable) > 0 {
		q := capturable[len(capturable)-1]
		capturable = capturable[:len(capturable)-1]
		if captured[q] {
			continue
		}
		captured[q] = true
		c.Taken++
		for _, s := range b.Around(q) {
			if !c.Rest.Has(s) {
				continue
			}
			// s is the last free line of q. If it is also the last one of the box across,
			// that box is in capturable already.
			c.Rest.Remove(s)
			sides := b.Sides(s)
			if o := sides[0] + sides[1] - q; o != grid.Outside && openLines(b, c.Rest, o) == 1 {
				capturable = append(capturable, o)
			}
		}
	}
	if c.Taken > 0 {
		c.Price = price(b, free, c.Rest, captured)
	}
	return c
}

// openLines returns the number of free lines around a box.
func openLines(b *grid.Board, free grid.Set, box int) int {
	n := 0
	for _, s := range b.Around(box) {
		if free.Has(s) {
			n++
		}
	}
	return n
}

// price returns h. free are the free lines before the captures, and rest the lines left after the
// captures. Two captured boxes are adjacent in a tree if they shared a line that was removed.
func price(b *grid.Board, free, rest grid.Set, captured []bool) int {
	seen := make([]bool, len(captured))
	price := infinity
	for q := range captured {
		if !captured[q] || seen[q] {
			continue
		}
		seen[q] = true
		tree := []int{q} // the boxes of q's tree, found by breadth-first search
		hangs, maxDegree := false, 0
		for i := 0; i < len(tree); i++ {
			degree := 0
			for _, s := range b.Around(tree[i]) {
				if !free.Has(s) || rest.Has(s) {
					continue
				}
				sides := b.Sides(s)
				o := sides[0] + sides[1] - tree[i]
				if o == grid.Outside || !captured[o] {
					hangs = true
					continue
				}
				degree++
				if !seen[o] {
					seen[o] = true
					tree = append(tree, o)
				}
			}
			maxDegree = max(maxDegree, degree)
		}
		switch {
		case hangs && len(tree) >= 2:
			return 4
		case !hangs && maxDegree < len(tree)-1:
			price = 8
		}
	}
	return price
}

// Value returns V(G), given V(R) as rest.
func (c Closure) Value(rest int) int { return c.Taken + max(rest, -c.Price-rest) }

// bounds returns bounds of V(G), given bounds of V = V(R). V(G) = K + max(V, -h-V) decreases
// until V = -h/2 and then increases, so its minimum may lie between the bounds. V(G) has the
// parity of K + V.
func (c Closure) bounds(b solver.Bounds) solver.Bounds {
	x, y := c.Value(b.Lower), c.Value(b.Upper)
	r := solver.Bounds{Lower: min(x, y), Upper: max(x, y)}
	if bottom := -c.Price / 2; c.Price != infinity && b.Lower < bottom && bottom < b.Upper {
		r.Lower = c.Taken + bottom + (bottom-b.Lower)&1
	}
	return r
}
