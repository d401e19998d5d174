package book

import "endwise/engine"

// Bounded is the score of a move between two bounds, and what it proves. The
// move gains so many squares or boxes at once and leaves rest of them to both.
//
// Bounds that say no more than those numbers are no knowledge: the proof is
// Estimate. Of two bounds that don't meet the lower is told, because moves are
// chosen by it, unless only the upper says something.
func Bounded(lower, upper, gain, rest int) (score int, proof engine.Proof) {
	switch {
	case lower == upper:
		return lower, engine.Exact
	case lower > gain-rest:
		return lower, engine.Lower
	case upper < gain+rest:
		return upper, engine.Upper
	}
	return 0, engine.Estimate
}
