package exact

import (
	"math/rand/v2"
	"slices"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/graph"
)

// keyAfter returns the key of the position after a move, which is the sum of its types'
// keys.
func TestKeyAfterIsTheKeyOfTheNextPosition(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	s := New(small(Options{}))
	s.prepare(grid.MaxSegments)
	w := s.workers[0]
	cancelled := 0
	for range 300 {
		b := enginetest.Board(t, []string{"3x3", "5x5", "7x7"}[rng.IntN(3)])
		parts, err := graph.Components(b, enginetest.Live(b, rng, 1+rng.IntN(60)))
		testenv.OK(t, err)
		if !w.setRoot(parts) {
			t.Fatal("store full")
		}
		pos, next := &w.plies[0].pos, &w.plies[1].pos
		for _, id := range pos.types {
			if !w.types.expandType(id) {
				t.Fatal("store full")
			}
			for j := range uint32(w.types.types[id].nOptions) {
				o := &w.types.options[w.types.types[id].options+j]
				if !w.types.resolve(id, o) {
					t.Fatal("store full")
				}
				next.after(w.types, pos, id, o)
				var sum graph.Key
				for _, k := range next.types {
					sum = sum.Add(w.types.types[k].key)
				}
				if got := pos.keyAfter(w.types, id, o); got != next.key || sum != next.key {
					t.Fatalf("keyAfter %x, after %x, sum %x", got, next.key, sum)
				}
				if len(next.types) < len(pos.types)-1 {
					cancelled++
				}
			}
		}
	}
	if cancelled == 0 {
		t.Error("no pair was cancelled")
	}
}

// Pairs of equal types that cancel are removed, wherever they stand; other types stay in
// their order.
func TestCancelPairs(t *testing.T) {
	s := &store{types: make([]typeInfo, 4)}
	s.types[1].cancels, s.types[2].cancels = true, true
	for _, c := range []struct{ kids, want []typeID }{
		{nil, nil}, {[]typeID{1}, []typeID{1}}, {[]typeID{1, 1}, nil}, {[]typeID{3, 3}, []typeID{3, 3}},
		{[]typeID{1, 2}, []typeID{1, 2}}, {[]typeID{1, 3, 1}, []typeID{3}}, {[]typeID{3, 2, 2, 1}, []typeID{3, 1}},
		{[]typeID{1, 1, 1}, []typeID{1}}, {[]typeID{1, 2, 1, 2}, nil}, {[]typeID{2, 1, 1, 2, 3}, []typeID{3}},
	} {
		if got := s.cancelPairs(slices.Clone(c.kids)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v are left, want %v", c.kids, got, c.want)
		}
	}
}
