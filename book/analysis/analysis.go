// Package analysis evaluates played games with a lookup. It determines, for each move, the
// proved loss; from which move on the game was solved; where it turned; and the accuracy of
// each player.
//
// A game is analysed from its end backwards. Each position gets the time for an exact
// answer until several positions in a row were not solved; earlier positions are only
// estimated. Times are processor times if the system measures them, so that a busy machine
// gives the results of an idle one (timelimit.go). The loss by a move follows from the
// values of the positions before and after it, so only played moves need an evaluation.
// Proved values, bounds and estimates are kept apart: only proofs count as mistakes and in
// the accuracy.
//
// [Analyze] analyses a game (analyze.go): judge.go determines the value of each position
// and the loss by each move, turningpoint.go the expected winner from each move on. An
// [Analysis] is the result (result.go), and [Summarize] combines those of many games
// (summary.go). exercises.go makes exercises from mistakes. record.go reads recorded games
// in the plain format of all games, and record_circuitwars.go, record_dotsandboxes.go and
// record_watchyourback.go in the format of each competition.
//
// The analysis is the same for every game; a [Rules] value describes the game's scores.
package analysis

import (
	"endwise/engine"
)

// Version changes when the analysis of the same game may change.
const Version = 5

// Rules describes the meaning of a game's values.
type Rules struct {
	engine.Game
	// Scored reports whether a value counts future squares, so that the captures of a move
	// are added to it; otherwise it is 1, 0 or -1 for a win, a tie and a loss.
	Scored bool
	// Unit and Units are the unit of values, singular and plural: "box", "boxes"; empty if
	// not Scored.
	Unit, Units string
	// EstimateScale is the number of points of an estimate that the evaluation plot shows
	// as one unit of a proved value.
	EstimateScale int
}
