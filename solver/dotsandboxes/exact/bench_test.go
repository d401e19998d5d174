package exact

import (
	"runtime"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// BenchmarkSolve solves empty boards, each with an empty table; -cpu sets the number of
// threads.
func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct {
		board string
		value int
	}{{"3x4", 0}, {"3x5", -1}, {"4x4", 0}} {
		b.Run(c.board, func(b *testing.B) {
			g := enginetest.Board(b, c.board)
			var expansions uint64
			for b.Loop() {
				s := New(Options{Threads: runtime.GOMAXPROCS(0), TableBytes: 1 << 30})
				r, err := s.Value(b.Context(), g, g.All())
				if err != nil || r.Lower != c.value || !r.Exact() {
					b.Fatal(r, err)
				}
				expansions += r.Nodes
			}
			b.ReportMetric(float64(expansions)/float64(b.N), "expansions/op")
		})
	}
}

// BenchmarkKey computes the key of a position in the middle of a game.
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
	var k keys
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			g.decompose(mask, &s, 0)
		}
	})
	b.Run("key", func(b *testing.B) {
		g.decompose(mask, &s, 0)
		for b.Loop() {
			k.keyOf(&s)
		}
	})
}
