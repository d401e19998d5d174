package match

import (
	"testing"

	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

func TestMain(m *testing.M) {
	cli.Games = []cli.Game{circuitwars.Game()}
	cli.CommandJobs = []func() farm.Kind{PairKind, LevelPairKind}
	testenv.Main(m)
}
