package main

import (
	"endwise/book/anygame"
	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/dotsandboxes"
	"endwise/cmd/endwise/watchyourback"
	"endwise/engine/kayles"
)

// The games that the program knows, in the order in which commands and pages list
// them. A new game is a line here; cli.NewGame says what there is to be set for one.
func init() {
	cli.Games = []cli.Game{
		circuitwars.Game(),
		watchyourback.Game(),
		dotsandboxes.Game(),
		cli.NewGame(anygame.FromRules(kayles.Game{})),
	}
}
