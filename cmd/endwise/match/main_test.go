package match

import (
	"testing"

	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) {
	cli.Games = []cli.Game{circuitwars.Game()}
	testenv.Main(m)
}
