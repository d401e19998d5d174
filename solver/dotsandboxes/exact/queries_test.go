package exact

import (
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// Moves returns the value of every line, best first, and the best one is the value of the
// position.
func TestMovesHaveTheirValues(t *testing.T) {
	b := enginetest.Board(t, "2x3")
	values := plainValues(t, b)
	s := New(Options{Threads: 1, TableBytes: 1 << 20})
	for m := 1; m < len(values); m += 1013 {
		free := grid.Set{uint64(m)}
		moves, r, err := s.Moves(t.Context(), b, free)
		testenv.OK(t, err)
		if !r.Exact() || r.Lower != int(values[m]) || len(moves) != free.Len() || moves[0].Lower != r.Lower {
			t.Fatalf("free %b: %s, want %d; %d of %d lines, the best %s", m, r, values[m], len(moves), free.Len(), moves[0].Bounds)
		}
		for i, k := range moves {
			after := free
			after.Remove(k.Segment)
			w := k.Gain + int(values[after[0]])
			if k.Gain == 0 {
				w = -w
			}
			if !k.Exact() || k.Lower != w || i > 0 && moves[i-1].Lower < w {
				t.Fatalf("free %b: line %d in place %d is %s, want %d", m, k.Segment, i, k.Bounds, w)
			}
		}
	}
}
