package exact

import (
	"testing"

	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// Positions that are the same up to symmetry share a node of the tree, and
// every way into it must name its lines alike: no line of play is longer than
// the game.
func TestLiveSearchPlaysLegalLines(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {2, 3}, {3, 3}, {3, 4}} {
		b, err := grid.New(size[0], size[1])
		testenv.OK(t, err)
		tree := &live{b: b, table: make([][8]uint64, b.Segments())}
		for s := range tree.table {
			for k := range tree.table[s] {
				y := b.Symmetries()[k%len(b.Symmetries())]
				tree.table[s][k] = mix(uint64(y.Segment[s]) + 0x51ed27)
			}
		}
		free := b.All()
		for _, s := range []int{0, 5, 2} {
			for _, y := range b.Symmetries() {
				image := free
				image.Remove(s)
				image = y.Apply(image)
				one, other := tree.newState(image, 1), tree.newState(free, 1)
				tree.remove(&other, s)
				if tree.key(&one) != tree.key(&other) || tree.oriented(one).free != tree.oriented(other).free {
					t.Fatalf("%s: images under %s share no node, or not its orientation", b, y.Name)
				}
			}
		}
		s := New(Options{Threads: 2, TableBytes: 1 << 20})
		r := s.Search(t.Context(), b, free, LiveOptions{Seed: 3, Playouts: 1500})
		if r.Depth > b.Segments() {
			t.Errorf("%s: a line of %d moves, the board has %d lines", b, r.Depth, b.Segments())
		}
		for _, m := range r.Moves {
			if !free.Has(m.Segment) {
				t.Errorf("%s: move %d is not legal", b, m.Segment)
			}
		}
	}
}
