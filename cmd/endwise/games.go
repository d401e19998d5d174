package main

import (
	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/dotsandboxes"
	"endwise/cmd/endwise/watchyourback"
)

// games returns the games in the order in which commands and pages list them.
func games() cli.Games {
	return cli.Games{circuitwars.Game(), watchyourback.Game(), dotsandboxes.Game()}
}
