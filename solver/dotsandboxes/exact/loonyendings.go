package exact

// loonyValue is T6: the value for the mover of a position of isolated chains
// of at least three boxes and isolated loops only, where every move gives
// boxes away (Buzzard and Ciere, "Playing simple loony dots and boxes
// endgames optimally", Integers 14, 2014).
//
// The controller's value is at least
//
//	cv = Σ(chain-4) + Σ(loop-8) + tb
//
// with the terminal bonus tb of 0 for the empty position, 8 if there are only
// loops, 6 if there are loops and no chain longer than three, and 4 otherwise;
// it equals cv where cv >= 2. ok is false below that: the position must be
// searched, which two options a node make cheap. threes counts the chains of
// three, chains all of them, loops the loops; boxes counts all boxes.
func loonyValue(threes, chains, loops, boxes int) (v int, ok bool) {
	cv := boxes - 4*chains - 8*loops
	switch {
	case chains == 0 && loops == 0:
		return 0, true
	case chains == 0:
		cv += 8
	case loops > 0 && threes == chains:
		cv += 6
	default:
		cv += 4
	}
	return -cv, cv >= 2
}
