// Package analysis finds the mistakes in recorded games. [ReadRecord] reads a [Record],
// [Analyze] evaluates it with a lookup and returns an [Analysis], and [Summarize] combines the
// analyses of several games. [Exercises] makes exercises from mistakes.
//
// A game is analysed from its last position backwards (analyze.go). The lookup gets the time to solve
// each position, until several positions in a row were not solved; all earlier ones are only estimated.
// The loss by a move is the difference between the values of the positions before and after it
// (judge.go). Only a proved loss counts as a mistake. turningpoint.go finds the move that changed the
// winner.
//
// record.go reads the plain format of all games, and record_*.go the formats of the competitions.
package analysis

import "endwise/engine"

// Version changes when the analysis of the same game may change.
const Version = 13

// Rules describes the meaning of a game's values.
type Rules struct {
	engine.Game
	// Scored reports whether a value is a difference of squares that are still to be won; otherwise
	// it is 1, 0 or -1 for a win, a tie and a loss.
	Scored bool
	// Unit and Units are the unit of values, singular and plural, "box" and "boxes"; "" if not Scored.
	Unit, Units string
	// EstimateScale is the estimate that corresponds to one unit of a value in the evaluation plot.
	EstimateScale int
}
