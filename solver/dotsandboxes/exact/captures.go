package exact

import (
	"endwise/engine/grid"
	"endwise/solver"
)

// infinity is the price if no double-deal is possible. It exceeds every value.
const infinity = 1 << 12

// Closure describes a position G by the position R after all possible captures.
//
// T1. Captures only remove lines, so a box with one free line stays capturable, and capturing in any
// order leads to the same position R. In R no box has exactly one free line (R-type). Let K be the
// number of boxes captured on the way. The mover has two candidates: take all boxes and move from R,
// or take all but the last few and draw a line that gives these away in one stroke. The opponent
// then takes them and must move from R. Leaving boxes is no better, because they stay capturable.
//
//	V(G) = K + max(V(R), -h - V(R))
//
// Here h, twice the number of boxes given away, is 4 if a captured tree of at least two boxes hangs
// on R or the ground by an edge (drawing that edge leaves a domino), else 8 if a captured tree that
// does not hang is not a star (drawing an edge between two inner boxes leaves two dominoes).
// Otherwise a double-deal is impossible.
type Closure struct {
	Rest  grid.Set // R: the lines left
	Taken int      // K: boxes captured
	Price int      // h: the cost of the double-deal, or infinity
}

// Close returns the closure of the position with the given free lines.
func Close(b *grid.Board, free grid.Set) Closure {
	c := Closure{Rest: free, Price: infinity}
	captured := make([]bool, b.Squares())
	var capturable []int
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

func openLines(b *grid.Board, free grid.Set, box int) int {
	n := 0
	for _, s := range b.Around(box) {
		if free.Has(s) {
			n++
		}
	}
	return n
}

// price returns Closure.Price if boxes were captured. Two captured boxes are adjacent in a tree if
// the captures removed a line between them.
func price(b *grid.Board, free, rest grid.Set, captured []bool) int {
	seen := make([]bool, len(captured))
	price := infinity
	for q := range captured {
		if !captured[q] || seen[q] {
			continue
		}
		seen[q] = true
		tree := []int{q}
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

// bounds returns bounds of V(G), given bounds b of V = V(R). V(G) decreases until V = -h/2 and then
// increases, so its minimum may lie between the bounds. V(G) has the parity of K + V.
func (c Closure) bounds(b solver.Bounds) solver.Bounds {
	x, y := c.Value(b.Lower), c.Value(b.Upper)
	r := solver.Bounds{Lower: min(x, y), Upper: max(x, y)}
	if bottom := -c.Price / 2; c.Price != infinity && b.Lower < bottom && bottom < b.Upper {
		r.Lower = c.Taken + bottom + (bottom-b.Lower)&1
	}
	return r
}
