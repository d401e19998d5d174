package exact

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/enginetest"
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

// What the tree says that is known is: who wins every such position, and that the
// value is on the winner's side of what is noted.
func TestKnownNodesAreRight(t *testing.T) {
	for name, left := range map[string]int{"3x3": 18, "3x4": 24, "5x5": 34} {
		b := enginetest.Board(t, name)
		r := rand.New(rand.NewPCG(3, 9))
		s := New(Options{Threads: 1, TableBytes: 1 << 20})
		judge := New(Options{Threads: 1, TableBytes: 16 << 20})
		for _, lead := range []int{0, 1, -2} {
			free := randomQuiet(r, b, left)
			o := LiveOptions{Lead: lead, Seed: 4, Playouts: 400, Keep: true}
			s.Search(t.Context(), b, free, o)
			tree := s.reuse(b, free, lead)[0]
			known, seen := 0, map[*liveNode]bool{}
			var walk func(st state)
			walk = func(st state) {
				st = tree.oriented(st)
				n := tree.nodes[tree.key(&st)|1]
				if n == nil || seen[n] {
					return
				}
				seen[n] = true
				if n.known {
					known++
					v, err := judge.Value(t.Context(), b, st.free)
					testenv.OK(t, err)
					margin, noted := st.lead+v.Lower, st.lead+int(n.value)
					if noted > 0 && margin < noted || noted < 0 && margin > noted || noted == 0 && margin != 0 {
						t.Errorf("%s, %v, lead %+d: noted as a margin of %+d, is %+d", name, st.free, st.lead, noted, margin)
					}
				}
				for _, e := range n.edges {
					after := st
					tree.draw(&after, int(e.segment))
					walk(after)
				}
			}
			walk(tree.newState(free, lead))
			if known == 0 {
				t.Errorf("%s, lead %+d: nothing is known of %d nodes", name, lead, len(seen))
			}
		}
	}
}
