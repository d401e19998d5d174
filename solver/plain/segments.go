package plain

import (
	"cmp"
	"context"
	"fmt"
)

// The two segment games are solved by minimax over subsets: of every subset of
// the free segments of a position at once, in an array. A subset is a number
// whose bit i says that the i-th of them is free. Taking one gives a smaller
// number, so that in ascending order all that a value needs is there.

// segmentRules are what the two games differ in.
type segmentRules struct {
	// read takes a position's notation apart. Scores, turn and owners don't
	// matter: what can still be won depends on the free segments alone.
	read func(position string) (size string, l *lattice, s segments, err error)
	// take plays a free segment: what is left, the squares that this brings,
	// and whether the same side moves again.
	take func(l *lattice, s segments, i int) (next segments, gain int, again bool)
	// name is a segment's in the game's notation.
	name func(l *lattice, i int) string
	// values are the values of all subsets of some segments of a board.
	values func(ctx context.Context, l *lattice, free []int, progress func(done, sets uint64)) ([]int8, error)
}

// subsets are the values of some segments' subsets, as a solver remembers them.
type subsets struct {
	size   string
	free   []int
	values []int8
}

// value is that of a position of the board; ok is false where others of its
// segments are free.
func (x *subsets) value(s segments) (v int, ok bool) {
	m, n := 0, 0
	for i, f := range x.free {
		if s[f] == '.' {
			m |= 1 << i
			n++
		}
	}
	if n != s.free() {
		return 0, false
	}
	return int(x.values[m]), true
}

// solve answers for a position with at most so many free segments.
func (r *segmentRules) solve(position string, most int, known *subsets) (Answer, error) {
	size, l, s, err := r.read(position)
	if err != nil {
		return Answer{}, err
	}
	if err := tooManyFree(s.free(), cmp.Or(most, defaultFree)); err != nil {
		return Answer{}, err
	}
	value, ok := 0, false
	if known.size == size {
		value, ok = known.value(s)
	}
	if !ok {
		*known = subsets{size: size, free: s.list()}
		if known.values, err = r.values(context.Background(), l, known.free, nil); err != nil {
			return Answer{}, err
		}
		value, _ = known.value(s)
	}
	a := Answer{Value: value, Moves: map[string]int{}, Over: s.free() == 0}
	for _, i := range s.list() {
		next, gain, again := r.take(l, s, i)
		v, _ := known.value(next)
		if !again {
			v = -v
		}
		a.Moves[r.name(l, i)] = gain + v
	}
	return a, nil
}

// maxBoardSegments bounds the boards whose every position is worked out: a byte
// each, two for Circuit Wars, 4 GiB in all for 31 segments.
const maxBoardSegments = 31

// board is the value of every set of free segments of a board.
func (r *segmentRules) board(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	l, err := newLattice(size)
	if err != nil {
		return nil, err
	}
	n := len(l.sides)
	if n > maxBoardSegments {
		return nil, fmt.Errorf("board %s: %d segments, every position of at most %d is worked out: %w", size, n, maxBoardSegments, ErrTooLarge)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return r.values(ctx, l, all, progress)
}

// value is that of the position of a board in which some segments are free.
func (r *segmentRules) value(size string, free []int) (int, error) {
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
	values, err := r.values(context.Background(), l, free, nil)
	if err != nil {
		return 0, err
	}
	return int(values[len(values)-1]), nil
}

// interval is how many subsets pass between two looks at the context.
const interval = 1 << 16

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
