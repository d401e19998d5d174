package exact

// controlledValue returns the controlled value cv of isolated chains of at least three boxes and
// isolated loops (T6: Buzzard and Ciere, "Playing simple loony dots and boxes endgames optimally",
// Integers 14, 2014).
//
// Every move in such a position gives away boxes, so the opponent of the mover is in control, and
// can gain at least
//
//	cv = Σ(chain-4) + Σ(loop-8) + tb
//
// Here chain and loop are numbers of boxes. The terminal bonus tb is 0 for the empty position, 8 if
// there are only loops, 6 if there are loops and all chains have three boxes, and 4 otherwise. So
// the value for the mover is at most -cv, and if cv >= 2, it is -cv.
//
// threes is the number of chains of three boxes, boxes that of the boxes of all chains and loops.
func controlledValue(threes, chains, loops, boxes int) (cv int) {
	cv = boxes - 4*chains - 8*loops
	switch {
	case chains == 0 && loops == 0:
		return 0
	case chains == 0:
		return cv + 8
	case loops > 0 && threes == chains:
		return cv + 6
	}
	return cv + 4
}

// loonyEnding returns cv (T6). ok is false if T6 does not apply. s must not be empty.
func (s *shape) loonyEnding() (cv int, ok bool) {
	if s.joints > 0 || s.lone[1]+s.lone[2] > 0 {
		return 0, false
	}
	return controlledValue(s.threes, s.long, s.loops, s.boxes), true
}
