package main

import (
	"endwise/book/anygame"
	"endwise/engine/kayles"
)

// games are the games that the program knows, in the order in which commands
// and pages list them. A new game is a line here; newGame says what there is
// to be set for one.
var games []gameEntry

// The entries name commands that ask for all games, so that they can't be made
// where the variable is.
func init() {
	games = []gameEntry{
		circuitWars(),
		watchYourBack(),
		dotsAndBoxes(),
		newGame(anygame.FromRules(kayles.Game{})),
	}
}
