package plain

import "context"

// DotsAndBoxesBoard is the value, for the side to move, of every set of free
// lines of a board. Else it is as CircuitWarsBoard.
func DotsAndBoxesBoard(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	l, all, err := wholeBoard(size)
	if err != nil {
		return nil, err
	}
	return dotsSubsets(ctx, l, all, progress)
}

// DotsAndBoxesValue is as CircuitWarsValue.
func DotsAndBoxesValue(size string, free []int) (int, error) {
	return subsets(dotsSubsets).value(size, free)
}

func dotsSubsets(ctx context.Context, l *lattice, free []int, progress func(done, sets uint64)) ([]int8, error) {
	box := make([]uint64, len(l.around)) // the free lines of each box
	for i, line := range free {
		for _, b := range l.sides[line] {
			if b >= 0 {
				box[b] |= 1 << i
			}
		}
	}
	value := make([]int8, 1<<len(free))
	err := l.each(ctx, free, progress, func(m uint64) {
		best := int8(-128)
		for i, line := range free {
			if m>>i&1 == 0 {
				continue
			}
			after := m - 1<<i
			boxes := int8(0)
			for _, b := range l.sides[line] {
				if b >= 0 && after&box[b] == 0 {
					boxes++
				}
			}
			if boxes > 0 {
				best = max(best, boxes+value[after])
			} else {
				best = max(best, -value[after])
			}
		}
		if m > 0 {
			value[m] = best
		}
	})
	return value, err
}
