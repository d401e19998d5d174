package circuitwars

// How a move's time is divided in Circuit Wars: solveSource (solve.go) asks one
// question after another, and each gets a share of what remains of the clock. engine.Reserve
// is kept back before (book/lookup.go).

// Shares of the remaining time for the steps of improve.
const (
	shareBeyond  = 0.25 // the mirror theorem guarantees something; is there more?
	shareOfMoves = 0.75 // all moves were asked for
	shareOfProof = 0.5  // the board's proof is embedded
)

// shares are the parts of the time for the value, and of what is left then for
// the question who wins, by the number of free segments: where a solve is
// likely to end it gets the most, where it is a gamble the live search does.
func shares(free int) (value, win float64) {
	switch {
	case free <= 50:
		return 0.5, 0.4
	case free <= 60:
		return 0.25, 0.3
	}
	return 0.08, 0.08
}

// Shares of the remaining time for the steps of toWin and won.
const (
	shareOfMargin  = 0.9 // not won: is it a tie?
	shareOfLoss    = 0.3 // lost: by how much at least
	shareOfHardest = 0.9
	shareBeside    = 0.97 // a search runs beside

	shareOfWon       = 0.4  // by how much?
	shareOfEstimates = 0.15 // of all moves
	shareOfAnother   = 0.6  // does another move win too?
)

// shareToWin is the part of the time for the question who wins. Where that is
// out of reach the live search has nothing to see either, except captures.
func shareToWin(free int) float64 {
	switch {
	case free <= 66:
		return 0.9
	case free <= 70:
		return 0.5
	}
	return 0.2
}
