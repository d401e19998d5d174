package dotsandboxes

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// Positions with one key have one value, and their moves correspond.
func TestCanonicalKeysKeepValuesAndMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 300 {
		size := [][2]int{{2, 2}, {3, 3}, {1, 6}, {2, 3}, {5, 5}, {7, 7}, {9, 9}}[rng.IntN(7)]
		b, err := grid.New(size[0], size[1])
		testenv.OK(t, err)
		p := New(b)
		for range rng.IntN(b.Segments()) {
			moves := p.Moves()
			q, err := p.DrawLine(moves[rng.IntN(len(moves))])
			testenv.OK(t, err)
			if q.Over() {
				break
			}
			p = q
		}
		c := enginetest.Corresponds(t, Game{}, p)
		if p.Free().Len() <= 12 {
			if v, w := enginetest.Value(t, p, Position.Drawn, map[grid.Set]int{}), enginetest.Value(t, c.(Position), Position.Drawn, map[grid.Set]int{}); v != w {
				t.Fatalf("%s is worth %d, its canonical position %d", p, v, w)
			}
		}
	}
	if _, err := (Game{}).FromKey([]byte{2, 2, 0xff}); err == nil {
		t.Error("half a key is read as a position")
	}
}
