package dotsandboxes

import (
	"math"

	"endwise/data"
	"endwise/engine/dotsandboxes"
)

// This file divides the time for a move. solveSource (solve.go) gets shares of the remaining
// time, and heuristic search (search.go) the rest. [book.Lookup] has subtracted
// [engine.Reserve] before.

// Shares of the clock for an exact solve, by the number of safe lines left, which predicts
// its cost (data/results/tried-dotsandboxes.md). Heuristic search gets the time that a
// solve does not use.
const (
	safeSurely  = 9  // nearly always solved in half a second: all the time except a reserve
	safePerhaps = 12 // worth half the time
	shareSurely = 0.85
	shareMaybe  = 0.5
	// safePerDoubling is the number of additional safe lines for twice the time.
	safePerDoubling = 0.85
	// smallBoard is the maximum number of lines of a board whose proof takes at most half a
	// minute: that of 4x4.
	smallBoard = 40
)

// share returns the share of the remaining time for solving the value. worth is false if the
// value will probably not be solved in this time.
func (x *solve) share() (share float64, worth bool) {
	left, limited := x.question.Clock.Remaining()
	if !limited {
		return shareSurely, true
	}
	extra := int(safePerDoubling * math.Log2(max(0.01, 2*left.Seconds())))
	switch safe := x.position.SafeMovesLeft(); {
	case safe > safePerhaps+extra:
		return 0, false
	case safe > safeSurely+extra:
		return shareMaybe, true
	}
	return shareSurely, true
}

// near reports whether a search for a line that does not lose gets half the time with any
// number of safe lines: on a small board, or near the positions of an embedded proof.
func (x *solve) near() bool {
	b := x.position.Board()
	return b.Segments() <= smallBoard || data.Proof(dotsandboxes.Name, embeddedName(b)) != ""
}
