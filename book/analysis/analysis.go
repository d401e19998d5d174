// Package analysis judges played games by what the lookup knows: for each
// move what it gave up, where the truth is known; from which move on the game
// was solved; where it turned; and how well each player did.
//
// A game is analysed from its end backwards. Each position gets the time that
// an exact answer may take until a few in a row were not solved; the earlier
// ones get an estimate only. The time is the processor's where the system tells
// it, so that a busy machine finds what an idle one does (timelimit.go). What a move
// gave up follows from the values of the positions before and after it, so no
// move but the played one costs anything. A proved value, a bound and an
// estimate stay three things: only proved ones count in mistakes and accuracy.
//
// analyze.go goes through a game, judge.go finds the value of each position and
// what each move gave up, turningpoint.go who was to win from which move on,
// result.go holds what comes out, accuracy included, and summary.go adds up many
// games; exercises.go makes positions to practise of mistakes. record.go reads
// recorded games in the plain format of all games, and record_circuitwars.go,
// record_dotsandboxes.go and record_watchyourback.go in the format of each
// competition.
//
// The analysis itself is the same for every game. A Rules value describes how a
// game's scores are read.
package analysis

import (
	"endwise/engine"
)

// Version changes when an analysis of the same game could read differently.
const Version = 5

// Rules says how the values of a game are read.
type Rules struct {
	engine.Game
	// Scored is true where a value counts future squares, so that what a move
	// captures is added to what is left; false where it is 1, 0 or -1 for a
	// win, a tie and a loss.
	Scored bool
	// Unit and Units are what a value counts, one and several: "box", "boxes";
	// empty where not Scored.
	Unit, Units string
	// EstimateScale is the number of points of an estimate that the
	// evaluation plot shows as one unit of a proved value.
	EstimateScale int
}
