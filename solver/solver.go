// Package solver defines types that the solvers of the three games share: [Bounds] of a
// value, the [Result] of a solve, and [Bounds.Narrow], the loop that narrows bounds by
// null-window searches (MTD(f)).
//
// The solvers use the same method names. Value computes the value of a position. AtLeast
// determines whether the value is at least a number, which is faster. Best returns a best
// move, Secure a move whose value is at least a number, Moves the bounds of every move, and
// Known the bounds that need no search. If a search ends early, these methods return the
// bounds proved so far.
//
// # Packages
//
// circuitwars, dotsandboxes and watchyourback contain the solvers of the games. README.md in
// each explains how its game is solved.
//
// circuitwars/exact solves positions, on the graphs of circuitwars/graph. circuitwars/tables
// solves all positions of a small board and all short endings. circuitwars/search is the
// heuristic search for positions too large to solve.
//
// dotsandboxes/exact solves positions. dotsandboxes/tables solves all positions of a small
// board. dotsandboxes/mcts is a Monte Carlo tree search with exact solves at its leaves.
//
// watchyourback/tables solves the 4x4 board and defines how positions are numbered and
// stored; watchyourback/retrograde solves the 6x6 board. watchyourback/search is the
// heuristic search for the full board.
//
// tt provides transposition tables that threads share without locks, and the marks by
// which threads avoid each other's positions. certificate writes proofs that
// cmd/checkproof checks without this program. farm runs the jobs of a long solve in
// this process, farm/jetstream on several computers over NATS. plain is a second,
// slow solver written from the rules alone; the tests compare every other solver with
// it.
package solver

import "fmt"

// Bounds contains a lower and an upper bound of the value of a position for the side to move.
// In Circuit Wars and Dots and Boxes, the value is the number of squares that this side gains
// from now on minus the number that the opponent gains. In Watch Your Back it is 1, 0 or -1
// for a win, tie or loss.
type Bounds struct{ Lower, Upper int }

// Exact reports whether the bounds are equal.
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
	Segment int // the segment drawn; -1 for no move
	Gain    int // number of squares captured by the move itself
	Bounds      // of the whole value, Gain included
	// Line is best play by both sides after the move, as segment numbers. It extends to the
	// end of the game if the value is exact and the context did not end before.
	Line []int
}

// Narrow returns the bounds of a value, tightened by null-window searches until they are equal
// (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms",
// 1996). The searches begin near an estimate of the value. b.Lower, b.Upper and estimate must
// have the parity of the value, which is the parity of the number of open squares.
//
// atLeast searches whether the value is at least t. It returns a lower bound v >= t or an upper
// bound v < t. If ok is false, v is ignored and Narrow stops. done may be nil; otherwise Narrow also
// stops if done returns true for the bounds so far.
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
