package solving

// ValueOptions size the search for the value of an empty board.
type ValueOptions struct {
	Threads    int
	TableBytes int64
	// Plies is how many lines are drawn in the positions that the search of
	// Dots and Boxes is split into.
	Plies int
}

// BoardValue is what is known of an empty board: bounds of the value for
// player 1, equal when it is solved.
type BoardValue struct {
	Lower, Upper int
	Expansions   uint64 // of this run
	Subpositions int    // positions that something is kept of, those of earlier runs included
}
