package circuitwars

// This file divides the time for a move. Each call of the solver (solve.go) gets a share of the
// remaining time, from which [book.Lookup] has subtracted [engine.Reserve].

// Shares of the remaining time for the steps of improve.
const (
	shareBeyond  = 0.25 // for a better value than the mirror theorem guarantees
	shareOfMoves = 0.75 // for the values of all moves
	shareOfProof = 0.5  // for positions of the embedded proof's board
)

// shares returns the share of the time for solving the value, and the share of the rest for solving the
// winner, by the number of free segments. They are large if a solve will probably finish.
func shares(free int) (value, win float64) {
	switch {
	case free <= 50:
		return 0.5, 0.4
	case free <= 60:
		return 0.25, 0.3
	}
	return 0.08, 0.08
}

// Shares of the remaining time for the steps of solveWinner and improveWin.
const (
	shareOfMargin   = 0.9  // for the value of a position that is won or may be tied
	shareOfLoss     = 0.3  // for the value of a lost position
	shareOfHardest  = 0.9  // for the move that is hardest to answer
	shareConcurrent = 0.97 // for the winner, with a concurrent heuristic search

	shareOfWon       = 0.4  // for the value
	shareOfEstimates = 0.15 // for estimates of all moves
	shareOfAnother   = 0.6  // to prove that a move with a better estimate wins too
)

// shareToWin returns the share of the time for solving the winner, by the number of free segments. With
// many free segments the heuristic search needs the time more.
func shareToWin(free int) float64 {
	switch {
	case free <= 66:
		return 0.9
	case free <= 70:
		return 0.5
	}
	return 0.2
}
