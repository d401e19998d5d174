package search

import "math/bits"

// unit is the score of one square.
const unit = 2

// The evaluation considers what can be captured: hot components, which have a single edge to the
// ground, and pendant trees, which are attached to the rest of their component by a single edge. If
// both sides only capture, largest first, the side to move gets the alternating sum of the sizes.
// The other components without their pendant trees are called the 2-core. Which side must open it
// depends on the parity of the number of free segments. An odd number is good for the side to move,
// most of all if nothing can be captured. The weights come from a fit to exact values of positions
// from championship games.
const (
	smallCore = 4 // number of squares of a 2-core up to which the parity is ignored
	quietOdd  = 2 // for an odd number of free segments if nothing can be captured
	busyOdd   = 1 // for an odd number otherwise
)

// evaluate returns the static evaluation of st for the side to move, in units.
func (g *geometry) evaluate(st *state) int {
	var captures [64]uint8 // number of captures by size
	largest := 0
	add := func(n int) {
		captures[n]++
		largest = max(largest, n)
	}
	dense := uint64(0) // squares of the other components
	for x := st.ground; x != 0; {
		area := g.flood(st, x&-x)
		grounds := area & st.ground
		x &^= area
		if grounds&(grounds-1) == 0 && g.groundSegments(st, bits.TrailingZeros64(grounds)) == 1 {
			add(bits.OnesCount64(area))
		} else {
			dense |= area
		}
	}
	trees := g.peel(st) & dense
	core := dense &^ trees // the 2-core
	// The segments between squares of trees, so that flood does not leave a tree.
	inner := state{right: st.right & trees & (trees >> 1), down: st.down & trees & (trees >> g.cols)}
	for trees != 0 {
		tree := g.flood(&inner, trees&-trees)
		trees &^= tree
		add(bits.OnesCount64(tree))
	}
	v, sign := 0, unit
	for n := largest; n > 0; n-- {
		if captures[n]&1 != 0 { // two of the same size cancel
			v += sign * n
			sign = -sign
		}
	}
	if bits.OnesCount64(core) <= smallCore {
		return v
	}
	parity := quietOdd
	if largest > 0 {
		parity = busyOdd
	}
	if (bits.OnesCount64(st.free[0])+bits.OnesCount64(st.free[1]))&1 == 0 {
		parity = -parity
	}
	return v + parity
}

// peel returns the squares removed by repeatedly removing all squares with a single free segment.
// Each then has one free segment, so their connected parts are trees attached by one segment.
func (g *geometry) peel(st *state) (peeled uint64) {
	c := g.cols
	corners := uint64(0) // with two free border segments
	for x := st.ground & g.corners; x != 0; x &= x - 1 {
		if g.groundSegments(st, bits.TrailingZeros64(x)) > 1 {
			corners |= x & -x
		}
	}
	right, down := st.right, st.down
	rest := right | right<<1 | down | down<<c | st.ground
	for {
		left, up := right<<1, down<<c
		leftOrRight, aboveOrBelow := right^left, down^up // exactly one of the two is free
		// several are the squares with at least two free segments.
		several := right&left | down&up | leftOrRight&aboveOrBelow |
			(leftOrRight|aboveOrBelow)&st.ground | corners
		leaves := rest &^ several
		if leaves == 0 {
			return peeled
		}
		peeled |= leaves
		rest &^= leaves
		right &^= leaves | leaves>>1
		down &^= leaves | leaves>>c
	}
}

func (g *geometry) groundSegments(st *state, sq int) int {
	n := 0
	for k, w := range g.around[sq] {
		for w &= st.free[k]; w != 0; w &= w - 1 {
			if g.ground[k<<6+bits.TrailingZeros64(w)] != 0 {
				n++
			}
		}
	}
	return n
}
