package mcts

import (
	"math/rand/v2"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/grid"
)

// A search begins with the part of the previous tree below its position, under every
// symmetry of the board, with lines numbered as in the position. A search without Keep, or
// with another lead, begins without it.
func TestSearchBeginsWithKeptTrees(t *testing.T) {
	for _, name := range []string{"3x3", "3x4", "5x5"} {
		for _, threads := range []int{1, 2} {
			b := enginetest.Board(t, name)
			s := newSearcher(threads)
			free, lead := b.All(), 0
			options := Options{Seed: 5, Playouts: 400, Keep: true}
			r := s.Search(t.Context(), b, free, options)
			if r.Kept != 0 || r.Playouts != 400*threads {
				t.Fatalf("%s: %d playouts, began with %d", name, r.Playouts, r.Kept)
			}
			for ply, y := range b.Symmetries() {
				if len(r.Moves) == 0 {
					break // no quiet line is left
				}
				want := r.Moves[0].Visits
				free.Remove(r.Moves[0].Segment)
				free = y.Apply(free)
				lead = -lead
				options.Lead = lead
				alone := options
				alone.Keep = false
				if r = s.Search(t.Context(), b, free, alone); r.Kept != 0 {
					t.Errorf("%s, ply %d: began with %d playouts of another search", name, ply, r.Kept)
				}
				other := options
				other.Lead += 100 * (ply + 1) // no such node in the tree
				if r = s.Search(t.Context(), b, free, other); r.Kept != 0 {
					t.Errorf("%s, ply %d: with another lead began with %d playouts", name, ply, r.Kept)
				}
				r = s.Search(t.Context(), b, free, options)
				if r.Kept != want || r.Playouts != 400*threads {
					t.Fatalf("%s, ply %d: %d playouts, began with %d, want %d", name, ply, r.Playouts, r.Kept, want)
				}
				// One line of each set of equivalent lines, as in a new search.
				fresh := newSearcher(1).Search(t.Context(), b, free, Options{Lead: lead, Playouts: 1})
				if got, want := childKeys(t, s, b, free, r), childKeys(t, s, b, free, fresh); len(got) != len(want) {
					t.Errorf("%s, ply %d: %d different lines, want %d", name, ply, len(got), len(want))
				} else {
					for k := range want {
						if !got[k] {
							t.Errorf("%s, ply %d: a line is missing", name, ply)
						}
					}
				}
			}
		}
	}
}

// childKeys returns the keys of the positions after the lines of a search, which must be
// free.
func childKeys(t *testing.T, s *Searcher, b *grid.Board, free grid.Set, r Result) map[uint64]bool {
	t.Helper()
	tree := s.trees(b, free, Options{})[0]
	keys := map[uint64]bool{}
	for _, m := range r.Moves {
		if !free.Has(m.Segment) {
			t.Fatalf("line %d is drawn already", m.Segment)
		}
		st := tree.newState(free, 0)
		tree.draw(&st, m.Segment)
		keys[tree.key(&st)] = true
	}
	return keys
}

// With many games on one searcher, no search begins with the tree of another game's
// position, the trees stay within their limits, and a full tree is still searched.
func TestKeptTreesStayWithinLimits(t *testing.T) {
	s := newSearcher(2)
	s.nodeLimit, s.keptLimit = 100, 500
	b := enginetest.Board(t, "5x5")
	type game struct {
		free grid.Set
		want int // visits of the position's tree, if it is still kept
	}
	r := rand.New(rand.NewPCG(3, 4))
	games := make([]game, 12)
	for i := range games {
		games[i] = game{enginetest.RandomQuiet(r, b, 44), 0}
	}
	for round := range 3 {
		for i := range games {
			g := &games[i]
			found := s.Search(t.Context(), b, g.free, Options{Seed: 1, Playouts: 300, Keep: true})
			if found.Kept != 0 && found.Kept != g.want {
				t.Errorf("round %d, game %d: began with %d playouts, its own were %d", round, i, found.Kept, g.want)
			}
			if found.Playouts != 600 {
				t.Errorf("round %d, game %d: %d playouts", round, i, found.Playouts)
			}
			g.want = found.Kept + found.Playouts
			total := 0
			for _, k := range s.forests {
				for _, tree := range k {
					total += len(tree.nodes)
					if len(tree.nodes) > s.nodeLimit {
						t.Fatalf("a tree of %d nodes", len(tree.nodes))
					}
				}
			}
			if total > s.keptLimit {
				t.Fatalf("%d nodes are kept", total)
			}
		}
	}
	// The game that was searched last finds its tree.
	last := games[len(games)-1]
	if found := s.Search(t.Context(), b, last.free, Options{Playouts: 1, Keep: true}); found.Kept != last.want {
		t.Errorf("began with %d playouts, want %d", found.Kept, last.want)
	}
	if found := s.Search(t.Context(), b, last.free, Options{Keep: true, Full: true}); found.Playouts != 0 {
		t.Errorf("%d playouts although the trees are full", found.Playouts)
	}
}
