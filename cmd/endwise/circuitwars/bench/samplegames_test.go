package bench

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "write the digests of the sample's games anew")

// The sample's games are those that are played now: with ENDWISE_DEEP=1 all, else
// one for each pair of players.
func TestSample(t *testing.T) {
	t.Parallel()
	const file = "../../../../data/benchmark/circuitwars.seeds"
	games, err := readSample()
	if err != nil || len(games) != 200 {
		t.Fatalf("%d games, %v", len(games), err)
	}
	text := testenv.ReadFile(t, file)
	if !testenv.Deep() && !*update {
		games = games[:25]
	}
	seeds := map[uint64]bool{}
	for _, g := range games {
		v, err := g.play(t.Context())
		testenv.OK(t, err)
		if !v.Final.Over() || seeds[g.seed] {
			t.Errorf("%s: not a game of its own, to the end", g.name())
		}
		seeds[g.seed] = true
		switch now := digest(v.Played); {
		case now == g.moves:
		case *update:
			line := fmt.Sprintf("%s %s %d ", g.players[0], g.players[1], g.seed)
			text = bytes.Replace(text, []byte(line+g.moves), []byte(line+now), 1)
		default:
			t.Fatalf("%s is another game: if this commit means to change a player, run go test -run TestSample ./cmd/endwise/circuitwars/bench -update, and measure again what data/results says of the sample", g.name())
		}
	}
	if *update {
		testenv.OK(t, os.WriteFile(file, text, 0o644))
	}
}
