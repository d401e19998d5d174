package booktest

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// CircuitWarsValue computes by plain minimax how many more open squares of p the side to move gets than the
// opponent. memo holds the values computed so far, by free segments, all of one board; new ones are added.
func CircuitWarsValue(t testing.TB, p circuitwars.Position, memo map[grid.Set]int) int {
	t.Helper()
	if p.Over() {
		return 0
	}
	if v, ok := memo[p.Free()]; ok {
		return v
	}
	best := -1000 // less than every value
	for _, s := range p.Free().Segments() {
		q, err := p.Occupy(s)
		testenv.OK(t, err)
		best = max(best, p.Left()-q.Left()-CircuitWarsValue(t, q, memo))
	}
	memo[p.Free()] = best
	return best
}

// RandomCircuitWars returns a position on a board of the size of b after random moves, with at most
// maxFree free segments.
func RandomCircuitWars(t testing.TB, r *rand.Rand, b *grid.Board, maxFree int) circuitwars.Position {
	t.Helper()
	p, err := circuitwars.New(b.Rows, b.Cols)
	testenv.OK(t, err)
	for p.Free().Len() > maxFree {
		moves := p.Moves()
		p, err = p.Occupy(int(moves[r.IntN(len(moves))]))
		testenv.OK(t, err)
	}
	return p
}
