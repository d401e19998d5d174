package dotsandboxes

import (
	"math"

	"endwise/data"
	"endwise/engine/dotsandboxes"
)

// How a move's time is divided in Dots and Boxes: solveSource (solve.go) gets shares of
// what remains of the clock, and live search (search.go) the rest. engine.Reserve is
// kept back before (book/lookup.go).

// Shares of the clock that an exact solve gets, by the number of safe lines
// left, which predicts its cost: on 5x5 eight take 20 to 200 ms of one
// processor, ten 100 to 2000 and twelve 900 to 10,000. What a solve does not
// use is live search's.
const (
	safeSurely  = 9  // at half a second solved in nearly every case: all the time but a reserve
	safePerhaps = 12 // worth half the time
	shareSurely = 0.85
	shareMaybe  = 0.5
	// safePerDoubling is how many more safe lines twice the time is good for.
	safePerDoubling = 0.85
	// smallBoard is the number of lines of a board whose proof is found in half a
	// minute: from 4x4 down.
	smallBoard = 40
)

// share is the part of the clock for the value, and whether it is worth trying.
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

// near says whether a search for a line that does not lose is worth half the time however
// many safe lines are left: the board is small, or what ships of its proof shortens it.
func (x *solve) near() bool {
	b := x.position.Board()
	return b.Segments() <= smallBoard || data.Proof(dotsandboxes.Name, shippedName(b)) != ""
}
