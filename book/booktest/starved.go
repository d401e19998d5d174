package booktest

import (
	"testing"
	"time"

	"endwise/book"
	"endwise/engine"
)

// Starved requests a move in position p, n times, each with a clock that has run out. It returns how
// often each move and each source occurred. It fails the test if the heuristic search answers with a
// depth of less than two plies.
func Starved(
	t testing.TB, l *book.Lookup, p engine.Position, n int,
) (moves map[engine.Move]int, sources map[string]int) {
	t.Helper()
	moves, sources = map[engine.Move]int{}, map[string]int{}
	for range n {
		clock := engine.Clock{Deadline: time.Now()}
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: clock, Play: true})
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		m, err := p.ParseMove(d.Move)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if d.Source == "search" && d.Depth < 2 {
			t.Errorf("%s: the search for %s has a depth of %d", p, d.Move, d.Depth)
		}
		moves[m]++
		sources[d.Source]++
	}
	return moves, sources
}
