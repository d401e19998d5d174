// Package solver defines types that the solvers of the three games share.
//
// The solvers use the same method names. Value computes the value of a position. AtLeast determines
// whether the value is at least a number. Best returns a best move, Secure a move whose value is at
// least a number, Moves the bounds of every move, and Known the bounds that need no search. If a
// search ends early, these methods return the bounds proved so far.
//
// circuitwars, dotsandboxes and watchyourback contain the solvers of the games. README.md in each
// explains how its game is solved. In Circuit Wars and Dots and Boxes, exact solves positions, and
// tables solves all positions of a small board. In Watch Your Back, tables solves the 4x4 board and
// retrograde the 6x6 board. search and mcts are the heuristic searches.
//
// certificate writes proofs that cmd/checkproof checks without this program. farm runs the jobs of
// a long solve in this process, farm/jetstream on several computers. plain is a second, slow
// solver; the tests compare every other solver with it.
package solver

import "fmt"

// Bounds contains a lower and an upper bound of the value of a position for the side to move. In
// Circuit Wars and Dots and Boxes, the value is the number of squares that this side gains from now
// on minus the opponent's. In Watch Your Back it is 1, 0 or -1 for a win, tie or loss.
type Bounds struct{ Lower, Upper int }

func (b Bounds) Exact() bool { return b.Lower == b.Upper }

// String returns the value, or both bounds if they differ.
func (b Bounds) String() string {
	if b.Exact() {
		return signed(b.Lower)
	}
	return signed(b.Lower) + " to " + signed(b.Upper)
}

// signed formats a number with its sign; 0 has none.
func signed(n int) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d", n)
}

// Result contains the bounds proved by a solve.
type Result struct {
	Bounds
	Nodes uint64 // number of positions searched
}

// MoveBounds contains the bounds of one move of Circuit Wars or Dots and Boxes for the mover.
type MoveBounds struct {
	Segment int // -1 for no move
	Gain    int // squares captured by the move
	Bounds      // of the whole value, Gain included
	// Line is best play after the move, as segment numbers; it may be empty or end early.
	Line []int
}

// Narrow returns the bounds of a value, tightened by null-window searches until they are equal
// (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", 1996).
// The searches begin near estimate. b's bounds and estimate must have its parity.
//
// atLeast searches whether the value is at least t. It returns a lower bound v >= t or an upper
// bound v < t. If ok is false, v is ignored and Narrow stops. It also stops if done, which may be
// nil, returns true for the bounds so far.
func (b Bounds) Narrow(estimate int, atLeast func(t int) (v int, ok bool), done func(Bounds) bool) Bounds {
	for t := estimate; b.Lower < b.Upper && (done == nil || !done(b)); {
		t = min(max(t, b.Lower+2), b.Upper)
		v, ok := atLeast(t)
		if !ok {
			break
		}
		if v >= t {
			b.Lower = max(b.Lower, v)
			t = b.Lower + 2
		} else {
			b.Upper = min(b.Upper, v)
			t = b.Upper
		}
	}
	return b
}
