package main

import (
	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/dotsandboxes"
	"endwise/cmd/endwise/watchyourback"
)

// The games that the program knows, in the order in which commands and pages list
// them.
func init() {
	cli.Games = []cli.Game{
		circuitwars.Game(),
		watchyourback.Game(),
		dotsandboxes.Game(),
	}
}
