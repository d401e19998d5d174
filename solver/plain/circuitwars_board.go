package plain

import "context"

// CircuitWarsBoard is the value, for the side to move, of every set of free
// segments of a board like "2x3"; segments in closed areas count for nothing.
// progress, which may be nil, is told how many sets are done. The error is the
// context's, or wraps ErrTooLarge.
func CircuitWarsBoard(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	l, err := wholeBoard(size)
	if err != nil {
		return nil, err
	}
	sets := uint64(1) << len(l.sides)
	value, open := make([]int8, sets), make([]int8, sets)
	reached := make([]bool, len(l.around))
	border := make([]int, 0, len(l.around))
	for m := range sets {
		if m%interval == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(m, sets)
			}
		}
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
		for i, ends := range l.sides {
			if m>>i&1 == 1 && (ends[0] < 0 || ends[1] < 0) {
				visit(i)
			}
		}
		for len(border) > 0 {
			sq := border[len(border)-1]
			border = border[:len(border)-1]
			for _, i := range l.around[sq] {
				if m>>i&1 == 1 {
					visit(i)
				}
			}
		}
		rest := m
		for i, ends := range l.sides {
			if sq := max(ends[0], ends[1]); m>>i&1 == 1 && !reached[sq] {
				rest -= 1 << i // inside a closed area
			}
		}
		if rest != m {
			value[m] = value[rest]
			continue
		}
		best := int8(-128)
		for i := range l.sides {
			if m>>i&1 == 1 {
				after := m - 1<<i
				best = max(best, open[m]-open[after]-value[after])
			}
		}
		if m > 0 {
			value[m] = best
		}
	}
	if progress != nil {
		progress(sets, sets)
	}
	return value, nil
}
