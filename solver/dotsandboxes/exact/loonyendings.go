package exact

// loonyValue returns the value for the mover of a position of isolated chains of at least
// three boxes and isolated loops only, in which every move gives away boxes (T6: Buzzard
// and Ciere, "Playing simple loony dots and boxes endgames optimally", Integers 14, 2014).
//
// Every move gives away boxes, so the opponent of the mover is in control. Its value is at
// least
//
//	cv = Σ(chain-4) + Σ(loop-8) + tb
//
// where chain and loop are numbers of boxes, with the terminal bonus tb of 0 for the empty position, 8 if there are only loops, 6 if
// there are loops and no chain longer than three, and 4 otherwise. If cv >= 2, it
// is cv, and v is -cv. Otherwise ok is false and v is only an upper bound for the mover: the
// position must be searched. threes is the number of chains of three boxes, chains
// the number of all chains; boxes is the number of boxes of all chains and loops.
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
