package exact

import (
	"math/bits"
	"sync"

	"endwise/engine/grid"
)

// plainValues is plain minimax over every set of free lines of a board: entry
// m is the value, for the side to move, of the position in which exactly the
// segments of m are free. It knows the rules and nothing else.
func plainValues(b *grid.Board) []int8 {
	plainMu.Lock()
	defer plainMu.Unlock()
	if v, ok := plainCache[b]; ok {
		return v
	}
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
	plainCache[b] = values
	return values
}

var (
	plainMu    sync.Mutex
	plainCache = map[*grid.Board][]int8{}
)

// completed counts the boxes that a line drawn last has completed.
func completed(b *grid.Board, free grid.Set, segment int) (n int) {
	for _, q := range b.Sides(segment) {
		if q == grid.Outside {
			continue
		}
		open := false
		for _, l := range b.Around(q) {
			open = open || free.Has(l)
		}
		if !open {
			n++
		}
	}
	return n
}

// plainValue is plain minimax on any board, with a memory for this root.
func plainValue(b *grid.Board, free grid.Set, memory map[grid.Set]int) int {
	if v, ok := memory[free]; ok {
		return v
	}
	best := -128
	for _, s := range free.Segments() {
		rest := free
		rest.Remove(s)
		v := -plainValue(b, rest, memory)
		if got := completed(b, rest, s); got > 0 {
			v = got - v
		}
		best = max(best, v)
	}
	if best == -128 {
		best = 0
	}
	memory[free] = best
	return best
}
