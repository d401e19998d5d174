package exact

import (
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// BenchmarkSolve3x4 solves the empty 3x4 board from a cold table.
func BenchmarkSolve3x4(b *testing.B) {
	g := enginetest.Board(b, "3x4")
	for b.Loop() {
		s := New(Options{Threads: 1, TableBytes: 32 << 20})
		r, err := s.Value(b.Context(), g, g.All())
		if err != nil || r.Lower != 0 {
			b.Fatal(r, err)
		}
		b.ReportMetric(float64(r.Nodes), "expansions/op")
	}
}

// BenchmarkKey makes the key of a position in the middle of a game.
func BenchmarkKey(b *testing.B) {
	g, err := newGraph(enginetest.Board(b, "4x4"), enginetest.Board(b, "4x4").All())
	testenv.OK(b, err)
	var free grid.Set
	for s := range g.board.Segments() {
		if s%4 != 1 {
			free.Add(s)
		}
	}
	mask := g.Mask(Close(g.board, free).Rest)
	var s shape
	var l labels
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			g.take(mask, &s, 0)
		}
	})
	b.Run("key", func(b *testing.B) {
		g.take(mask, &s, 0)
		for b.Loop() {
			l.key(&s)
		}
	})
}
