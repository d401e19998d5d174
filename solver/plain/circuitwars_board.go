package plain

import "context"

// CircuitWarsBoard is the value, for the side to move, of every set of free
// segments of a board like "2x3"; segments in closed areas count for nothing.
// progress, which may be nil, is told how many sets are done. The error is the
// context's, or wraps ErrTooLarge.
func CircuitWarsBoard(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	l, all, err := wholeBoard(size)
	if err != nil {
		return nil, err
	}
	return circuitSubsets(ctx, l, all, progress)
}

// CircuitWarsValue is the value, for the side to move, of the position of a
// board in which just these segments are free, by their numbers in the notation.
// It wraps ErrTooLarge for more than 20.
func CircuitWarsValue(size string, free []int) (int, error) {
	return subsets(circuitSubsets).value(size, free)
}

func circuitSubsets(ctx context.Context, l *lattice, free []int, progress func(done, sets uint64)) ([]int8, error) {
	value, open := make([]int8, 1<<len(free)), make([]int8, 1<<len(free))
	bit := make([]uint64, len(l.sides)) // of each segment, 0 for those that are not free
	for i, segment := range free {
		bit[segment] = 1 << i
	}
	reached := make([]bool, len(l.around))
	border := make([]int, 0, len(l.around))
	err := l.each(ctx, free, progress, func(m uint64) {
		// Which squares the outside reaches.
		clear(reached)
		visit := func(segment int) {
			for _, sq := range l.sides[segment] {
				if sq >= 0 && !reached[sq] {
					reached[sq] = true
					open[m]++
					border = append(border, sq)
				}
			}
		}
		for i, segment := range free {
			if ends := l.sides[segment]; m>>i&1 == 1 && (ends[0] < 0 || ends[1] < 0) {
				visit(segment)
			}
		}
		for len(border) > 0 {
			sq := border[len(border)-1]
			border = border[:len(border)-1]
			for _, segment := range l.around[sq] {
				if m&bit[segment] != 0 {
					visit(segment)
				}
			}
		}
		rest := m
		for i, segment := range free {
			if sq := max(l.sides[segment][0], l.sides[segment][1]); m>>i&1 == 1 && !reached[sq] {
				rest -= 1 << i // inside a closed area
			}
		}
		if rest != m {
			value[m] = value[rest]
			return
		}
		best := int8(-128)
		for i := range free {
			if m>>i&1 == 1 {
				after := m - 1<<i
				best = max(best, open[m]-open[after]-value[after])
			}
		}
		if m > 0 {
			value[m] = best
		}
	})
	return value, err
}
