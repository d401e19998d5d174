package coins

import "math/bits"

// never is the price of a double-deal where there is none: larger than any
// value, so that refusing is never better than taking.
const never = 1 << 12

// Closure is what is left after everything that can be captured is captured.
//
// T1. Capturing in any order ends in the same position, in which no box has
// exactly one free line (an R-type position): captures only take lines away,
// so a box that can be captured stays so until it is. Let K be the number of
// boxes taken on the way. Whatever the mover does before the turn passes, he
// can do no better than take all and move on from R, or take all but the last
// few and end with a line that gives them away in one stroke, after which the
// opponent takes them and must move on from R (to leave them and play
// elsewhere is no better, for the boxes stay capturable for both):
//
//	V(G) = K + max(V(R), -h - V(R))
//
// where h, twice the number of boxes given away, is 4 if some captured tree
// of at least two boxes hangs on R or the ground by an edge (drawing that
// edge leaves a domino), else 8 if some captured tree that hangs on nothing
// is no star (drawing an edge between two boxes that are no leaves leaves two
// dominoes), and otherwise refusing is impossible.
type closure struct {
	rest  uint64 // R: the edges left
	taken int    // K: boxes captured
	price int    // h: what the last double-deal costs, or never
}

// close works out the closure of any position. The search itself needs it
// only at the root; for positions one move after an R-type one, chains say
// the same faster (chains.go).
func (g *Graph) close(mask uint64) closure {
	c := closure{rest: mask, price: never}
	var captured [ground]bool
	var queue []int
	for b := range g.boxes {
		if bits.OnesCount64(mask&g.around[b]) == 1 {
			queue = append(queue, b)
		}
	}
	for len(queue) > 0 {
		b := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if captured[b] {
			continue
		}
		captured[b] = true
		c.taken++
		e := c.rest & g.around[b]
		if e == 0 {
			continue // went together with its neighbour
		}
		c.rest &^= e
		if o := g.cross[bits.TrailingZeros64(e)] ^ uint8(b); o != ground && bits.OnesCount64(c.rest&g.around[o]) <= 1 {
			queue = append(queue, int(o))
		}
	}
	// The captured trees: a box joins those it shares a removed edge with.
	gone := mask &^ c.rest
	var seen [ground]bool
	isolated := false
	for b := range g.boxes {
		if !captured[b] || seen[b] {
			continue
		}
		seen[b] = true
		tree := []int{b}
		hangs, maxDegree := false, 0
		for i := 0; i < len(tree); i++ {
			degree := 0
			for es := gone & g.around[tree[i]]; es != 0; es &= es - 1 {
				o := g.cross[bits.TrailingZeros64(es)] ^ uint8(tree[i])
				if o == ground || !captured[o] {
					hangs = true
					continue
				}
				degree++
				if !seen[o] {
					seen[o] = true
					tree = append(tree, int(o))
				}
			}
			maxDegree = max(maxDegree, degree)
		}
		switch {
		case hangs && len(tree) >= 2:
			c.price = 4
			return c
		case !hangs && maxDegree < len(tree)-1:
			isolated = true
		}
	}
	if isolated {
		c.price = 8
	}
	return c
}

// value is V(G) from V(R).
func (c closure) value(rest int) int { return c.taken + max(rest, -c.price-rest) }

// boxesIn counts the boxes that have a free line in mask.
func (g *Graph) boxesIn(mask uint64) int {
	n := 0
	for b := range g.boxes {
		if mask&g.around[b] != 0 {
			n++
		}
	}
	return n
}
