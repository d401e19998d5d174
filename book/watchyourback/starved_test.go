package watchyourback

import (
	"testing"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine/watchyourback"
)

// Without time, moves that look equal are chosen at random, not in the order of the board,
// and are not reported as searched.
func TestStarved(t *testing.T) {
	l := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	p := watchyourback.New(false)
	moves, _ := booktest.Starved(t, l, p, 100)
	if n := moves[p.Moves()[0]]; n > 50 || len(moves) < 3 {
		t.Errorf("%d different moves, the first of the list %d times", len(moves), n)
	}
}
