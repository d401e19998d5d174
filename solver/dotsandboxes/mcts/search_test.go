package mcts

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/dotsandboxes/exact"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func newSearcher(threads int) *Searcher {
	return New(exact.New(exact.Options{Threads: threads, TableBytes: 1 << 20}), threads)
}

// Symmetric positions share a node of the tree, and all paths to the node number its lines
// alike: no path is longer than the game.
func TestPathsHaveLegalLines(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {2, 3}, {3, 3}, {3, 4}} {
		b, err := grid.New(size[0], size[1])
		testenv.OK(t, err)
		tree := &tree{b: b, table: lineHashes(b)}
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
		s := newSearcher(2)
		r := s.Search(t.Context(), b, free, Options{Seed: 3, Playouts: 1500})
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

// The proved nodes of a tree are right: the winner, and the bound of the value.
func TestProvedNodesAreRight(t *testing.T) {
	for name, left := range map[string]int{"3x3": 18, "3x4": 24, "5x5": 34} {
		b := enginetest.Board(t, name)
		r := rand.New(rand.NewPCG(3, 9))
		s := newSearcher(1)
		solver := exact.New(exact.Options{Threads: 1, TableBytes: 16 << 20})
		for _, lead := range []int{0, 1, -2} {
			free := enginetest.RandomQuiet(r, b, left)
			o := Options{Lead: lead, Seed: 4, Playouts: 400, Keep: true}
			s.Search(t.Context(), b, free, o)
			tree := s.reuse(b, free, lead)[0]
			proved, seen := 0, map[*node]bool{}
			var walk func(st state)
			walk = func(st state) {
				st = tree.oriented(st)
				n := tree.nodes[tree.key(&st)|1]
				if n == nil || seen[n] {
					return
				}
				seen[n] = true
				if n.proved {
					proved++
					v, err := solver.Value(t.Context(), b, st.free)
					testenv.OK(t, err)
					score, noted := st.lead+v.Lower, st.lead+int(n.value)
					if noted > 0 && score < noted || noted < 0 && score > noted || noted == 0 && score != 0 {
						t.Errorf("%s, %v, lead %+d: noted as a score of %+d, is %+d", name, st.free, st.lead, noted, score)
					}
				}
				for _, e := range n.edges {
					after := st
					tree.draw(&after, int(e.segment))
					walk(after)
				}
			}
			walk(tree.newState(free, lead))
			if proved == 0 {
				t.Errorf("%s, lead %+d: none of %d nodes is proved", name, lead, len(seen))
			}
		}
	}
}

// A search answers on any board, with legal lines and possible estimates. If all endings
// have the same value, the estimate is that value.
func TestSearchAnswersOnAnyBoard(t *testing.T) {
	s := newSearcher(2)
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		board string
		free  int
	}{{"5x5", 60}, {"9x9", 180}, {"7x7", 80}, {"1x1", 4}, {"3x3", 14}} {
		b := enginetest.Board(t, c.board)
		free := exact.Close(b, enginetest.RandomQuiet(r, b, c.free)).Rest
		got := s.Search(t.Context(), b, free, Options{Seed: 1, Playouts: 20})
		if got.Playouts == 0 || len(got.Moves) == 0 {
			t.Fatalf("%s: %+v", c.board, got)
		}
		most := float64(b.Squares())
		for _, m := range got.Moves {
			if !free.Has(m.Segment) || m.Score < -most || m.Score > most {
				t.Errorf("%s: line %d, free %v, is estimated at %+.1f", c.board, m.Segment, free.Has(m.Segment), m.Score)
			}
		}
		if c.board == "1x1" && got.Value != -1 {
			t.Errorf("1x1: estimated at %+.2f, every end is worth -1", got.Value)
		}
	}
}
