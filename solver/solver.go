// Package solver holds what the solvers of all games answer, and the loop that
// narrows the bounds of a value by null windows, MTD(f) (Bounds.Narrow).
//
// All use the same words. Value works out what a position is worth; AtLeast
// asks only whether it is worth so much, which is faster; Best finds a best
// move, Secure one that is worth so much; Moves works out all of them; Known
// tells what needs no search. Whatever ends a search early, what it has found
// is proved: an answer is bounds, equal where they are a value.
//
// Each game has a folder with its solvers. Package plain solves all games a second
// time, slowly: the others are tested against it.
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
