package circuitwars

import (
	"testing"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Without time, moves that look equal are chosen at random, not in the order of the board,
// and are not reported as searched.
func TestStarved(t *testing.T) {
	l := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	start, err := circuitwars.New(7, 7)
	testenv.OK(t, err)
	second, err := start.Occupy(5)
	testenv.OK(t, err)
	for _, p := range []circuitwars.Position{start, second} {
		moves, sources := booktest.Starved(t, l, p, 100)
		if n := moves[p.Moves()[0]]; n > 50 || p.Drawn().Len() == 0 && len(moves) < 3 {
			t.Errorf("%s: %d different moves, the first of the list %d times", p, len(moves), n)
		}
		if sources["search"] > 0 {
			t.Errorf("%s: sources %v", p, sources)
		}
	}
}
