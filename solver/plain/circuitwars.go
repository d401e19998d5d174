package plain

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CircuitWars solves positions of Circuit Wars by plain minimax. The zero value is ready for use.
type CircuitWars struct {
	// MaxFree is the maximum number of free segments; 0 means 20.
	MaxFree int

	last subsets
}

// Solve implements [Solver] for SIZE:SEGMENTS:SCORES:TURN[:OWNERS].
func (c *CircuitWars) Solve(position string) (Answer, error) {
	a, err := circuitRules.solve(position, c.MaxFree, &c.last)
	if err != nil {
		return Answer{}, fmt.Errorf("circuit wars position: %w", err)
	}
	return a, nil
}

// CircuitWarsBoard returns the value, for the side to move, of every set of free segments of a
// board like "2x3", indexed by the set as a bitset. Free segments in closed areas are ignored.
// progress, which may be nil, is called with the numbers of finished and of all sets. The error is
// that of ctx, wraps [ErrTooLarge], or is about the size.
func CircuitWarsBoard(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	return circuitRules.board(ctx, size, progress)
}

// CircuitWarsValue returns the value, for the side to move, of the position with the given free
// segments, numbered as in the notation. It returns an error for a size or segment that does not
// exist; the error wraps [ErrTooLarge] if there are more than 20 segments.
func CircuitWarsValue(size string, free []int) (int, error) { return circuitRules.value(size, free) }

var circuitRules = segmentRules{readCircuit, playCircuit, circuitSegmentName, circuitValues}

// readCircuit implements segmentRules.read. Free segments in closed areas become drawn.
func readCircuit(position string) (size string, l *lattice, s segments, err error) {
	f := strings.Split(position, ":")
	if len(f) < 4 || len(f) > 5 {
		return "", nil, "", fmt.Errorf("%d fields, want SIZE:SEGMENTS:SCORES:TURN[:OWNERS]", len(f))
	}
	if l, err = newLattice(f[0]); err != nil {
		return "", nil, "", err
	}
	n := len(l.sides)
	var bits strings.Builder
	for i := range f[1] {
		d, err := strconv.ParseUint(f[1][i:i+1], 16, 8)
		if err != nil {
			return "", nil, "", fmt.Errorf("segments: character %d is %q, want a hexadecimal digit", i+1, f[1][i])
		}
		fmt.Fprintf(&bits, "%04b", d)
	}
	text := bits.String()
	if len(text) != (n+3)/4*4 || strings.Contains(text[n:], "1") {
		return "", nil, "", fmt.Errorf("segments %q: want %d digits for %d segments", f[1], (n+3)/4, n)
	}
	s = segments(strings.NewReplacer("0", ".", "1", "#").Replace(text[:n]))
	s, _ = l.settle(s)
	return f[0], l, s, nil
}

// settle marks the segments in closed areas as drawn, and counts the other squares.
func (l *lattice) settle(s segments) (after segments, open int) {
	free, reached := make([]bool, len(s)), make([]bool, len(l.around))
	for _, i := range s.list() {
		free[i] = true
	}
	open = l.flood(free, reached)
	out := []byte(s)
	for sq, ok := range reached {
		if !ok {
			for _, i := range l.around[sq] {
				out[i] = '#'
			}
		}
	}
	return segments(out), open
}

// flood sets reached for the squares not in closed areas, and counts them.
func (l *lattice) flood(free, reached []bool) (open int) {
	clear(reached)
	for i, ends := range l.sides {
		if (ends[0] < 0 || ends[1] < 0) && free[i] {
			open += l.reach(i, free, reached)
		}
	}
	return open
}

// reach sets reached for the squares at a free segment and those connected, and counts new ones.
func (l *lattice) reach(segment int, free, reached []bool) (open int) {
	for _, sq := range l.sides[segment] {
		if sq < 0 || reached[sq] {
			continue
		}
		reached[sq] = true
		open++
		for _, i := range l.around[sq] {
			if free[i] {
				open += l.reach(i, free, reached)
			}
		}
	}
	return open
}

func playCircuit(l *lattice, s segments, i int) (next segments, gain int, again bool) {
	_, before := l.settle(s)
	next, after := l.settle(s.without(i))
	return next, before - after, false
}

// circuitSegmentName returns "x,y,border" for segment i: the column and row of the square above or
// to the left of it, if there is one, and the side of the square on which it lies.
func circuitSegmentName(l *lattice, i int) string {
	sq := l.sides[i][0]
	horizontal := i < (l.rows+1)*l.cols
	border := "right"
	if horizontal {
		border = "bottom"
	}
	if sq < 0 {
		sq = l.sides[i][1]
		border = "left"
		if horizontal {
			border = "top"
		}
	}
	return fmt.Sprintf("%d,%d,%s", sq%l.cols, sq/l.cols, border)
}

func circuitValues(ctx context.Context, l *lattice, free []int, progress func(done, sets uint64)) ([]int8, error) {
	value := make([]int8, 1<<len(free))
	open := make([]int8, 1<<len(free)) // by set: the number of squares that the outside reaches
	isFree, reached := make([]bool, len(l.sides)), make([]bool, len(l.around))
	err := l.each(ctx, free, progress, func(m uint64) {
		for i, segment := range free {
			isFree[segment] = m>>i&1 == 1
		}
		open[m] = int8(l.flood(isFree, reached))
		rest := m // without segments inside closed areas
		for i, segment := range free {
			sq := max(l.sides[segment][0], l.sides[segment][1])
			if m>>i&1 == 1 && !reached[sq] {
				rest -= 1 << i
			}
		}
		if rest != m || m == 0 {
			value[m] = value[rest]
			return
		}
		best := int8(math.MinInt8)
		for i := range free {
			if m>>i&1 == 1 {
				after := m - 1<<i
				best = max(best, open[m]-open[after]-value[after])
			}
		}
		value[m] = best
	})
	return value, err
}
