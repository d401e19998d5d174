package plain

import (
	"cmp"
	"context"
	"fmt"
)

// The two segment games are solved by dynamic programming over all sets of the free segments of a
// position. Bit i of a set's number is set if the i-th segment is free. Drawing a segment leads to
// a set with a smaller number, so values are computed in ascending order.

// segmentRules are the functions in which the two games differ.
type segmentRules struct {
	// read parses a position, except scores, turn and owners; size is the text of the board's size.
	read func(position string) (size string, l *lattice, s segments, err error)
	// play draws a free segment. It returns the segments left, the squares captured, and whether
	// the same side moves again.
	play func(l *lattice, s segments, i int) (next segments, gain int, again bool)
	// name returns a segment's name in the game's notation.
	name func(l *lattice, i int) string
	// values returns the values of all sets of the given segments of a board, indexed by the set.
	// progress, if not nil, gets the numbers of finished and all sets. The error is ctx's.
	values func(ctx context.Context, l *lattice, free []int, progress func(done, sets uint64)) ([]int8, error)
}

// subsets contains the values of all sets of the segments in free.
type subsets struct {
	size   string // "" if subsets is empty
	free   []int
	values []int8
}

// value returns the value of a position; ok is false if it has free segments not in x.free.
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

// solve returns the values of a position and its moves; limit is the maximum number of its free
// segments, 0 for defaultFree. If last does not contain the position, solve replaces last. The error
// is about the position, or wraps ErrTooLarge.
func (r *segmentRules) solve(position string, limit int, last *subsets) (Answer, error) {
	size, l, s, err := r.read(position)
	if err != nil {
		return Answer{}, err
	}
	if err := tooManyFree(s.free(), cmp.Or(limit, defaultFree)); err != nil {
		return Answer{}, err
	}
	value, ok := 0, false
	if last.size == size {
		value, ok = last.value(s)
	}
	if !ok {
		*last = subsets{size: size, free: s.list()}
		if last.values, err = r.values(context.Background(), l, last.free, nil); err != nil {
			return Answer{}, err
		}
		value, _ = last.value(s)
	}
	a := Answer{Value: value, Moves: map[string]int{}, Over: s.free() == 0}
	for _, i := range s.list() {
		next, gain, again := r.play(l, s, i)
		v, _ := last.value(next)
		if !again {
			v = -v
		}
		a.Moves[r.name(l, i)] = gain + v
	}
	return a, nil
}

// maxBoardSegments limits the memory of board to 4 GiB: a byte per set, two in Circuit Wars.
const maxBoardSegments = 31

// board implements [CircuitWarsBoard] for both games.
func (r *segmentRules) board(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	l, err := newLattice(size)
	if err != nil {
		return nil, err
	}
	n := len(l.sides)
	if n > maxBoardSegments {
		return nil, fmt.Errorf("board %s has %d segments; boards with at most %d are solved completely: %w",
			size, n, maxBoardSegments, ErrTooLarge)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return r.values(ctx, l, all, progress)
}

// value implements [CircuitWarsValue] for both games.
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

const interval = 1 << 16 // sets or positions between two checks of the context

// each calls f with every set of the given segments, in ascending order. progress is as in
// segmentRules.values. The error is that of ctx.
func (l *lattice) each(ctx context.Context, free []int, progress func(done, sets uint64), f func(m uint64)) error {
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
		f(m)
	}
	if progress != nil {
		progress(sets, sets)
	}
	return nil
}
