package booktest

import (
	"testing"
	"time"

	"endwise/book"
	"endwise/engine"
)

// Starved requests a move n times with a clock that has run out. It returns the numbers of
// answers by move and by source. It fails the test if an answer is illegal, or if an answer of
// the heuristic search has a depth of one move.
func Starved(t testing.TB, l *book.Lookup, p engine.Position, n int) (moves map[engine.Move]int, sources map[string]int) {
	t.Helper()
	moves, sources = map[engine.Move]int{}, map[string]int{}
	for range n {
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.Clock{Deadline: time.Now()}, Play: true})
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		m, err := p.ParseMove(d.Move)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if d.Source == "search" && d.Depth < 2 {
			t.Errorf("%s: %s is said to be searched, to a depth of %d", p, d.Move, d.Depth)
		}
		moves[m]++
		sources[d.Source]++
	}
	return moves, sources
}
