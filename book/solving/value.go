package solving

// ValueOptions size the search for the value of an empty board.
type ValueOptions struct {
	Threads    int
	TableBytes int64
	// Plies is how many lines are drawn in the positions that the search of
	// Dots and Boxes is split into.
	Plies int
	// Check, in Dots and Boxes, is another store. What it keeps of the value is
	// compared with all that this run keeps, and says which moves to try first; none of
	// it is believed.
	Check string
}

// BoardValue is what is known of an empty board: bounds of the value for
// player 1, equal when it is solved.
type BoardValue struct {
	Lower, Upper int
	Expansions   uint64 // of this run
	Subpositions int    // positions that something is kept of, those of earlier runs included
	Checked      int    // those that the store to check has as well; none of them contradicts it
}
