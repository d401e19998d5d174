// Package solver defines what the exact solvers of the three games have in common:
// [Bounds] of a value, the [Result] of a solve, and the loop that narrows bounds by
// searches with a null window, MTD(f) ([Bounds.Narrow]).
//
// The solvers use the same method names. Value returns the value of a position.
// AtLeast reports whether the value reaches a bound, which is faster. Best returns a
// best move, Secure a move that keeps a bound, Moves the bounds of every move, and
// Known what needs no search. If a search ends early, the bounds it has proved so far
// are returned; they are equal if they are the value.
//
// # Packages
//
// circuitwars/exact solves Circuit Wars. A position is a sum of components, each a
// graph with a canonical form (package circuitwars/graph: label.go labels the graphs,
// the mirror theorem is in mirror.go). search.go is the alpha-beta search, order.go
// orders moves, bounds.go computes static bounds, simplify.go replaces components by
// smaller equivalent ones, proofnumbers.go decides who wins. circuitwars/tables solves
// all positions of a small board and all short endings. circuitwars/search is the
// heuristic search for positions too large to solve.
//
// dotsandboxes/exact solves Dots and Boxes, also as a graph game (strings and coins).
// search.go is the alpha-beta search, key.go computes canonical keys, chains.go and
// captures.go treat chains and loops: when to take all of them and when to leave the
// last boxes (double-deal). dotsandboxes/tables solves all positions of a small board
// and splits a long solve into jobs. dotsandboxes/mcts is a Monte Carlo tree search
// with exact solves at its leaves.
//
// watchyourback/retrograde computes the tables of the last two stages backwards from
// their ends; watchyourback/tables defines how their positions are numbered and stored.
// watchyourback/search is the heuristic search for the full board.
//
// tt provides transposition tables that threads share without locks, and the marks by
// which threads avoid each other's positions. certificate writes proofs that
// cmd/checkproof checks without this program. farm runs the jobs of a long solve in
// this process, farm/jetstream on several computers over NATS. plain is a second,
// slow solver written from the rules alone; the tests compare every other solver with
// it.
package solver

import "fmt"

// Bounds enclose the value of a position for the side to move: in games with a
// score what it will still win minus what the opponent will.
type Bounds struct{ Lower, Upper int }

// Exact reports whether the bounds meet.
func (b Bounds) Exact() bool { return b.Lower == b.Upper }

// String is the value, or the bounds.
func (b Bounds) String() string {
	if b.Exact() {
		return fmt.Sprintf("%+d", b.Lower)
	}
	return fmt.Sprintf("%+d to %+d", b.Lower, b.Upper)
}

// Result is what a solve has proved when it ends, and how many positions it
// entered for that.
type Result struct {
	Bounds
	Nodes uint64
}

// MoveBounds is what a move is worth to the side that plays it.
type MoveBounds struct {
	Segment int // of the board; -1 for no move
	Gain    int // what it scores at once
	Bounds      // the gain included
	// Line is best play by both sides after the move, as segments, as far as
	// it was proved: complete for a move whose value is exact, unless the
	// context ended first.
	Line []int
}

// Narrow makes the bounds of a value meet by questions that are cheap to
// answer, beginning near a guess (MTD(f), Plaat, Schaeffer, Pijls and de Bruin
// 1996). All values that a position can have have one parity, for every square is
// won by somebody; the bounds and guess have it too.
//
// atLeast answers whether the value is at least t: with a lower bound of it, at
// least t, or an upper bound below t. It ends the loop where it returns false,
// and done, which may be nil, where it returns true.
func (b Bounds) Narrow(guess int, atLeast func(t int) (v int, ok bool), done func(Bounds) bool) Bounds {
	for t := guess; b.Lower < b.Upper && (done == nil || !done(b)); {
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
