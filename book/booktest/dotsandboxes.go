package booktest

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// DotsAndBoxes plays random lines until free lines are left.
func DotsAndBoxes(t testing.TB, r *rand.Rand, b *grid.Board, free int) dotsandboxes.Position {
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
