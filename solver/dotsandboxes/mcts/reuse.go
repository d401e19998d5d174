package mcts

import (
	"slices"

	"endwise/engine/grid"
	"endwise/solver/tt"
)

// A game comes to a position that the live search has been through one or two
// moves earlier, in its own time or in the opponent's. The tree below that
// position is as good as one grown afresh, for all its values are those of
// positions, the lead included, and know nothing of the root. So a search that
// is told to keep leaves its trees with the searcher, and the next one that meets
// one of their positions begins with what hangs below it.
//
// The searcher knows no games, and needs none: a tree is found by the position.
// It belongs to one search at a time, which takes it away and brings it back,
// so that a second game in the same position grows its own.

const (
	// maxNodes is how many nodes a tree may have. A node takes 300 bytes on
	// the average of 5x5, most of it for the list of its lines, which only
	// nodes visited twice have.
	maxNodes = 1 << 16
	// maxKept is how many nodes all trees that are kept may have together;
	// those that were kept first go first.
	maxKept = 1 << 18
)

// forest is the trees of one search, one a thread.
type forest []*tree

func (g forest) size() int {
	n := 0
	for _, t := range g {
		n += len(t.nodes)
	}
	return n
}

// trees are what a search of a position begins with.
func (s *Searcher) trees(b *grid.Board, free grid.Set, o Options) forest {
	if o.Keep {
		if g := s.reuse(b, free, o.Lead); g != nil {
			return g
		}
	}
	table := make([][8]uint64, b.Segments())
	for i := range table {
		for k := range table[i] {
			y := b.Symmetries()[k%len(b.Symmetries())]
			table[i][k] = tt.Mix(uint64(y.Segment[i]) + 0x51ed27)
		}
	}
	g := make(forest, s.threads)
	for i := range g {
		g[i] = &tree{b: b, table: table, nodes: map[uint64]*node{}, most: s.most, terms: s.terms}
	}
	return g
}

// reuse takes the trees away that know a position best, cut down to what
// hangs below it; nil where none does.
func (s *Searcher) reuse(b *grid.Board, free grid.Set, lead int) forest {
	s.mu.Lock()
	best, most := -1, 0
	var root uint64
	for i, g := range s.forests {
		if g[0].b != b {
			continue
		}
		st := g[0].newState(free, lead)
		key, visits := g[0].key(&st)|1, 0
		for _, t := range g {
			if n := t.nodes[key]; n != nil {
				visits += n.visits
			}
		}
		if visits > most {
			best, most, root = i, visits, key
		}
	}
	var g forest
	if best >= 0 {
		g = s.forests[best]
		s.forests = slices.Delete(s.forests, best, best+1)
	}
	s.mu.Unlock()
	for _, t := range g {
		t.descend(root)
	}
	return g
}

// keep brings the trees of a search back.
func (s *Searcher) keep(g forest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forests = append(s.forests, g)
	total := 0
	for _, g := range s.forests {
		total += g.size()
	}
	for len(s.forests) > 0 && total > s.mostKept {
		total -= s.forests[0].size()
		s.forests = slices.Delete(s.forests, 0, 1)
	}
}

// descend makes a position the root of a tree: all that is not reached from it
// goes.
func (t *tree) descend(root uint64) {
	t.depth, t.plays = 0, 0
	below := map[uint64]*node{}
	var open []*node
	reach := func(n *node) {
		if below[n.key] == nil {
			below[n.key] = n
			open = append(open, n)
		}
	}
	if n := t.nodes[root]; n != nil {
		reach(n)
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		for i := range n.edges {
			if c := n.edges[i].child; c != nil {
				reach(c)
			}
		}
	}
	t.nodes = below
}
