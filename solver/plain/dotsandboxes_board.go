package plain

import "context"

// DotsAndBoxesBoard is the value, for the side to move, of every set of free
// lines of a board. Else it is as CircuitWarsBoard.
func DotsAndBoxesBoard(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	l, err := wholeBoard(size)
	if err != nil {
		return nil, err
	}
	sets := uint64(1) << len(l.sides)
	box := make([]uint64, len(l.around)) // the four lines of each box
	for b, around := range l.around {
		for _, i := range around {
			box[b] |= 1 << i
		}
	}
	value := make([]int8, sets)
	for m := range sets {
		if m%interval == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(m, sets)
			}
		}
		best := int8(-128)
		for i, sides := range l.sides {
			if m>>i&1 == 0 {
				continue
			}
			after := m - 1<<i
			boxes := int8(0)
			for _, b := range sides {
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
	}
	if progress != nil {
		progress(sets, sets)
	}
	return value, nil
}
