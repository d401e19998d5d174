// Package plain solves games a second time, in the simplest way that is still
// practical: it is the judge that the real solvers are tested against.
//
// It was written from the rules alone, without sight of the other solvers, and
// shares no code with them or with the fast rules in engine: it reads a position's
// one-line notation into slices and strings, plays by a few lines of rules (those
// of Watch Your Back in engine/watchyourback/plain), and takes the best of all
// moves. Nothing is cut off, ordered, merged
// by symmetry or taken from a theorem. The only liberty is a memory of the values
// of positions met before, and the tests do without it as well.
//
// The invariant is therefore short: a value is the maximum over all legal moves
// of what the rules say, down to the end of the game. Where that would take too
// long a question is refused with ErrTooLarge, never answered by a guess.
package plain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrTooLarge is wrapped when a position is well formed but too far from the
// end of its game for plain minimax.
var ErrTooLarge = errors.New("too large for plain minimax")

// Answer is what a position and each of its moves are worth.
type Answer struct {
	// Value is for the side to move. Circuit Wars and Dots and Boxes: the
	// squares or boxes still to be won by the mover minus the opponent's.
	// Watch Your Back: win 1, tie 0, loss -1. It is 0 for a finished segment
	// game.
	Value int
	// Moves holds the same for every legal move, for the side that plays it,
	// by the move's name in the game's notation. Empty when the game is over.
	Moves map[string]int
	// Over says that the game has ended.
	Over bool
}

// Solver answers for the positions of one game. Solvers remember what they
// have worked out between questions and are not safe for concurrent use.
type Solver interface {
	// Solve takes a position in the game's one-line notation. It wraps
	// ErrTooLarge when the position is refused.
	Solve(position string) (Answer, error)
}

// defaultFree is the limit of the segment games, in free segments: 2^20 subsets
// fit the memory of any machine.
const defaultFree = 20

// maxMemory is how many values a solver remembers before it forgets all.
const maxMemory = 2_000_000

// lattice is a board of rows x cols squares and its segments in the order of the
// notations: horizontal ones row by row, then vertical ones row by row. Squares
// are numbered row by row; -1 is the outside.
type lattice struct {
	rows, cols int
	sides      [][2]int // what lies on both sides of each segment
	around     [][]int  // the four segments of each square
}

// newLattice reads a size like "2x3".
func newLattice(size string) (*lattice, error) {
	r, c, ok := strings.Cut(size, "x")
	rows, err1 := strconv.Atoi(r)
	cols, err2 := strconv.Atoi(c)
	if !ok || err1 != nil || err2 != nil || rows < 1 || cols < 1 || rows > 40 || cols > 40 {
		return nil, fmt.Errorf("board size %q: want ROWSxCOLS, for instance 2x3", size)
	}
	l := &lattice{rows: rows, cols: cols, around: make([][]int, rows*cols)}
	square := func(y, x int) int {
		if y < 0 || y >= rows || x < 0 || x >= cols {
			return -1
		}
		return y*cols + x
	}
	add := func(a, b int) {
		for _, sq := range []int{a, b} {
			if sq >= 0 {
				l.around[sq] = append(l.around[sq], len(l.sides))
			}
		}
		l.sides = append(l.sides, [2]int{a, b})
	}
	for y := 0; y <= rows; y++ {
		for x := 0; x < cols; x++ {
			add(square(y-1, x), square(y, x))
		}
	}
	for y := 0; y < rows; y++ {
		for x := 0; x <= cols; x++ {
			add(square(y, x-1), square(y, x))
		}
	}
	return l, nil
}

// segments is a board's segments, '.' for a free one and '#' for one that can no
// longer be taken.
type segments string

// without is the same with one segment taken.
func (s segments) without(i int) segments { return s[:i] + "#" + s[i+1:] }

// free counts the free segments.
func (s segments) free() int { return strings.Count(string(s), ".") }

// list names the free segments.
func (s segments) list() []int {
	var free []int
	for i := range s {
		if s[i] == '.' {
			free = append(free, i)
		}
	}
	return free
}

// tooManyFree refuses a position with more free segments than the limit.
func tooManyFree(free, limit int) error {
	if free <= limit {
		return nil
	}
	return fmt.Errorf("%d free segments, at most %d are searched: %w", free, limit, ErrTooLarge)
}
