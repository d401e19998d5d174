package main

import (
	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/dotsandboxes"
	"endwise/cmd/endwise/watchyourback"
)

func games() cli.Games {
	return cli.Games{circuitwars.Game(), watchyourback.Game(), dotsandboxes.Game()}
}
