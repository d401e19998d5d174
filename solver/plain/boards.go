package plain

import (
	"context"
	"fmt"
	"math/bits"
)

// Whole boards, for the complete check of a table: the same minimax as above,
// for every set of free segments at once, in an array instead of a map. A set is
// a number whose bit i says that segment i is free. Taking a segment gives a
// smaller number, so that in ascending order all that a value needs is there.

// MaxBoardSegments bounds the boards whose every position is worked out: a byte
// each, two for Circuit Wars, 4 GiB in all for 31 segments.
const MaxBoardSegments = 31

// interval is how many sets pass between two looks at the context.
const interval = 1 << 16

// wholeBoard reads a size whose positions can all be worked out.
func wholeBoard(size string) (*lattice, error) {
	l, err := newLattice(size)
	if err != nil {
		return nil, err
	}
	if n := len(l.sides); n > MaxBoardSegments {
		return nil, fmt.Errorf("board %s: %d segments, every position of at most %d is worked out: %w", size, n, MaxBoardSegments, ErrTooLarge)
	}
	return l, nil
}

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

// MaxMiddlePieces bounds WatchYourBackMiddle: 5 pieces take a gigabyte of memory
// and some minutes.
const MaxMiddlePieces = 5

// WatchYourBackMiddle calls f with every position of the 6x6 board with exactly
// so many pieces, 4 or 5, at least two on each side, and its values for the side
// to move: values[r] with r turns left to the second shrink, r = 1..64. Squares
// are bits 8*y+x. Some of the positions cannot occur, because a piece in them is
// surrounded. The error is f's, the context's, or wraps ErrTooLarge.
func WatchYourBackMiddle(ctx context.Context, pieces int, progress func(done, planes uint64), f func(own, opp uint64, values []int8) error) error {
	if pieces < 4 || pieces > MaxMiddlePieces {
		return fmt.Errorf("%d pieces on the 6x6 board, 4 to %d are worked out: %w", pieces, MaxMiddlePieces, ErrTooLarge)
	}
	const planes = shrinkTwo - shrinkOne
	if progress != nil {
		progress(0, planes)
	}
	t := newMiddleTable(pieces, newFinalTable())
	for r := range planes + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if progress != nil {
			progress(uint64(r), planes)
		}
		t.addPlane(0, false)
	}
	values := make([]int8, planes+1)
	for i, name := range t.names {
		if i%interval == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		var own, opp uint64
		for k, sq := range t.squares {
			switch name[k] {
			case '1':
				own |= 1 << sq
			case '2':
				opp |= 1 << sq
			}
		}
		if bits.OnesCount64(own|opp) != pieces {
			continue
		}
		for r := range values {
			values[r] = t.planes[0][r][i]
		}
		if err := f(own, opp, values); err != nil {
			return err
		}
	}
	return nil
}
