package booktest

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// RandomDotsAndBoxes returns a position on b after random lines, with at most the given number of
// free lines.
func RandomDotsAndBoxes(t testing.TB, r *rand.Rand, b *grid.Board, free int) dotsandboxes.Position {
	t.Helper()
	p := dotsandboxes.New(b)
	for p.Free().Len() > free {
		moves := p.Moves()
		var err error
		p, err = p.DrawLine(moves[r.IntN(len(moves))])
		testenv.OK(t, err)
	}
	return p
}
