package coins

import (
	"math/bits"

	"endwise/engine/grid"
)

// plainValues is plain minimax over every set of free lines of a board: entry
// m is the value, for the side to move, of the position in which exactly the
// segments of m are free. It knows the rules and nothing else.
func plainValues(b *grid.Board) []int8 {
	n := b.Segments()
	around := make([]uint32, b.Squares())
	for q := range around {
		for _, s := range b.Around(q) {
			around[q] |= 1 << s
		}
	}
	values := make([]int8, 1<<n)
	for m := uint32(1); m < 1<<n; m++ {
		best := int8(-128)
		for left := m; left != 0; left &= left - 1 {
			s := bits.TrailingZeros32(left)
			rest := m &^ (1 << s)
			got := int8(0)
			for _, q := range b.Sides(s) {
				if q != grid.Outside && rest&around[q] == 0 {
					got++
				}
			}
			v := -values[rest]
			if got > 0 {
				v = got + values[rest]
			}
			best = max(best, v)
		}
		values[m] = best
	}
	return values
}
