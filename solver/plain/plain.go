// Package plain is a second, slow solver of the three games for tests of the other solvers.
//
// It is written from the rules alone and shares no code with the other solvers or the fast rules in
// engine. [CircuitWars], [DotsAndBoxes] and [WatchYourBack] read a position in its one-line notation
// and compute its value by minimax over all legal moves to the end of the game, without pruning,
// move ordering, symmetry or theorems. Values are memoised. The rules of Watch Your Back are in
// engine/watchyourback/plain. Large positions are refused with [ErrTooLarge].
package plain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrTooLarge is wrapped if a position is well formed but too far from the end of the game.
var ErrTooLarge = errors.New("too large for plain minimax")

// Answer contains the values of a position and of its moves.
type Answer struct {
	// Value is the value for the side to move. In Circuit Wars and Dots and Boxes, it is the number
	// of squares that this side gains from now on minus the opponent's; in Watch Your Back, it is 1
	// for a win, 0 for a tie and -1 for a loss.
	Value int
	// Moves contains the value of every legal move for its player, by its name in the notation.
	Moves map[string]int
	Over  bool
}

// Solver solves positions of one game. It is not safe for concurrent use.
type Solver interface {
	// Solve solves a position in one-line notation. Errors wrap [ErrTooLarge] if it is too large.
	Solve(position string) (Answer, error)
}

const defaultFree = 20 // default of MaxFree

// lattice is a board of rows x cols squares and its segments in the order of the notations:
// horizontal ones row by row, then vertical ones. Squares are numbered row by row; -1 is outside.
type lattice struct {
	rows, cols int
	sides      [][2]int // the squares on both sides
	around     [][]int  // the four segments of a square
}

// newLattice returns the board of a size like "2x3", with sides from 1 to 40.
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

// segments has one character per segment of a board: '.' if it is free, '#' if drawn or closed in.
type segments string

func (s segments) without(i int) segments { return s[:i] + "#" + s[i+1:] }

func (s segments) free() int { return strings.Count(string(s), ".") }

func (s segments) list() []int {
	var free []int
	for i := range s {
		if s[i] == '.' {
			free = append(free, i)
		}
	}
	return free
}

func tooManyFree(free, limit int) error {
	if free <= limit {
		return nil
	}
	return fmt.Errorf("%d free segments, at most %d are searched: %w", free, limit, ErrTooLarge)
}
