package analyze

import (
	"testing"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// A copy has a longer name of the same words; another number or directory is another game.
func TestCopiesAreNotOtherGames(t *testing.T) {
	p, err := dotsandboxes.Game{}.Start("1x1")
	testenv.OK(t, err)
	game := func(name string) record {
		return record{Record: analysis.Record{Name: name, Positions: []engine.Position{p}, Moves: []engine.Move{0}}}
	}
	for _, c := range []struct {
		a, b string
		copy bool
	}{
		{"game1.log", "game1 copy.log", true},
		{"game1 (2).log", "game1.log", true},
		{"Copy of game1.log", "game1.log", true},
		{"game1.log", "game10.log", false},
		{"game1.log", "mygame1.log", false},
		{"game1.log", "game1.log", false}, // in two directories
	} {
		if isCopy(game(c.a), game(c.b)) != c.copy {
			t.Errorf("%s and %s: not %v", c.a, c.b, c.copy)
		}
	}
}
