package dotsandboxes

import "math"

// This file divides the time for a move. solveSource (solve.go) gets shares of the remaining time, and
// heuristic search (search.go) the rest. [book.Lookup] has already subtracted [engine.Reserve].

// The cost of an exact solve depends on the number of safe lines left
// (data/results/tried-dotsandboxes.md).
const (
	safeSurely  = 9    // up to this number, nearly all positions are solved in half a second
	safePerhaps = 12   // up to this number, a solve is attempted
	shareSurely = 0.85 // share of the time with at most safeSurely safe lines
	shareMaybe  = 0.5  // share of the time with at most safePerhaps safe lines
	// safePerDoubling is the number by which these limits rise if the time doubles.
	safePerDoubling = 0.85
	// smallBoard is the number of lines of 4x4. The value of a smaller board is proved quickly.
	smallBoard = 40
)

// share returns the share of the remaining time for solving the value. likely reports whether the
// value will probably be solved in this time.
func (x *solve) share() (share float64, likely bool) {
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

// solvable reports whether the winner is solved with any number of safe lines.
func (x *solve) solvable() bool {
	b := x.position.Board()
	return b.Segments() <= smallBoard || hasEmbeddedProof(b)
}
