package plain

import (
	"fmt"
)

// Whole boards, for the complete check of a table: the same minimax as above,
// for every set of free segments at once, in an array instead of a map. A set is
// a number whose bit i says that segment i is free. Taking a segment gives a
// smaller number, so that in ascending order all that a value needs is there.

// maxBoardSegments bounds the boards whose every position is worked out: a byte
// each, two for Circuit Wars, 4 GiB in all for 31 segments.
const maxBoardSegments = 31

// interval is how many sets pass between two looks at the context.
const interval = 1 << 16

// wholeBoard reads a size whose positions can all be worked out.
func wholeBoard(size string) (*lattice, error) {
	l, err := newLattice(size)
	if err != nil {
		return nil, err
	}
	if n := len(l.sides); n > maxBoardSegments {
		return nil, fmt.Errorf("board %s: %d segments, every position of at most %d is worked out: %w", size, n, maxBoardSegments, ErrTooLarge)
	}
	return l, nil
}
