package mcts

import (
	"slices"

	"endwise/engine/grid"
	"endwise/solver/tt"
)

// The values of a node depend on its position and lead, and not on the root. So the part of a tree
// below a position can serve as the tree of that position. The [Searcher] keeps the trees of
// searches with Options.Keep, by position, not by game. A tree is removed from the searcher during
// a search, so a second game in the same position builds its own.

const (
	maxNodes = 1 << 16 // maximum number of nodes of a tree
	maxKept  = 1 << 18 // maximum number of nodes of all kept trees
)

// forest contains the trees of one search, one per thread, with the same root.
type forest []*tree

func (g forest) size() int {
	n := 0
	for _, t := range g {
		n += len(t.nodes)
	}
	return n
}

// trees returns the trees for a search of a position: kept ones if o.Keep is set and there are any,
// otherwise empty ones.
func (s *Searcher) trees(b *grid.Board, free grid.Set, o Options) forest {
	if o.Keep {
		if g := s.reuse(b, free, o.Lead); g != nil {
			return g
		}
	}
	table := lineHashes(b)
	g := make(forest, s.threads)
	for i := range g {
		g[i] = &tree{b: b, table: table, nodes: map[uint64]*node{}, nodeLimit: s.nodeLimit, terms: s.terms}
	}
	return g
}

// lineHashes returns a hash of the image of each line under each symmetry; a board with fewer than eight
// symmetries repeats them.
func lineHashes(b *grid.Board) [][8]uint64 {
	const seed = 0x51ed27 // any number
	table := make([][8]uint64, b.Segments())
	for i := range table {
		for k := range table[i] {
			y := b.Symmetries()[k%len(b.Symmetries())]
			table[i][k] = tt.Mix(uint64(y.Segment[i]) + seed)
		}
	}
	return table
}

// reuse returns the kept trees with the most visits of a position, reduced to the part below the
// position, and removes them from the searcher. It returns nil if no tree has visited the position.
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

// keep adds trees to the kept ones, and drops the oldest if there are too many nodes.
func (s *Searcher) keep(g forest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forests = append(s.forests, g)
	total := 0
	for _, g := range s.forests {
		total += g.size()
	}
	for len(s.forests) > 0 && total > s.keptLimit {
		total -= s.forests[0].size()
		s.forests = slices.Delete(s.forests, 0, 1)
	}
}

// descend makes the position with key root the root of a tree: it removes all nodes that cannot be
// reached from it, and resets the counts of the search.
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
