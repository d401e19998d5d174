package plain

import (
	"context"
	"fmt"
)

// Whole boards, for the complete check of a table, and positions with few free
// segments: the same minimax as above, for every subset of the free segments at
// once, in an array instead of a map. A subset is a number whose bit i says that
// the i-th of them is free. Taking one gives a smaller number, so that in
// ascending order all that a value needs is there.

// maxBoardSegments bounds the boards whose every position is worked out: a byte
// each, two for Circuit Wars, 4 GiB in all for 31 segments.
const maxBoardSegments = 31

// interval is how many subsets pass between two looks at the context.
const interval = 1 << 16

// wholeBoard reads a size whose positions can all be worked out, and lists its
// segments.
func wholeBoard(size string) (*lattice, []int, error) {
	l, err := newLattice(size)
	if err != nil {
		return nil, nil, err
	}
	n := len(l.sides)
	if n > maxBoardSegments {
		return nil, nil, fmt.Errorf("board %s: %d segments, every position of at most %d is worked out: %w", size, n, maxBoardSegments, ErrTooLarge)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return l, all, nil
}

// subsets is the minimax over all subsets of some segments of a board.
type subsets func(ctx context.Context, l *lattice, free []int, progress func(done, sets uint64)) ([]int8, error)

// value is that of the position of a board in which some segments are free.
func (s subsets) value(size string, free []int) (int, error) {
	l, err := newLattice(size)
	if err != nil {
		return 0, err
	}
	if err := tooManyFree(len(free), defaultFree); err != nil {
		return 0, err
	}
	for _, i := range free {
		if i < 0 || i >= len(l.sides) {
			return 0, fmt.Errorf("board %s: there is no segment %d", size, i)
		}
	}
	values, err := s(context.Background(), l, free, nil)
	if err != nil {
		return 0, err
	}
	return int(values[len(values)-1]), nil
}

// each goes through the subsets of some segments, the smaller number first. The
// error is the context's.
func (l *lattice) each(ctx context.Context, free []int, progress func(done, sets uint64), one func(m uint64)) error {
	sets := uint64(1) << len(free)
	for m := range sets {
		if m%interval == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if progress != nil {
				progress(m, sets)
			}
		}
		one(m)
	}
	if progress != nil {
		progress(sets, sets)
	}
	return nil
}
