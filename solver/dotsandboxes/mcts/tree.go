package mcts

import (
	"math"
	"math/rand/v2"

	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

const (
	exploration = 0.6 // of UCT; see choose
	// An untried line counts like a line with about two visits, whose mean outcome is lower than
	// the parent's by firstPlay (first-play urgency).
	firstPlay = 0.1
	winShare  = 0.75 // weight of a win in an outcome, next to the score difference
	leafQuiet = 5    // maximum number of quiet lines for which the solver determines a playout's winner
)

// node is a position in the tree. Its values are those of its side to move.
type node struct {
	key      uint64
	visits   int
	outcome  float64 // sum, from -1 to 1 each
	score    float64 // sum of values in boxes
	edges    []edge  // the quiet lines
	expanded bool
	// proved means that the winner, or a tie, is proved; value is then the value or a bound of it.
	proved bool
	value  int8
}

// edge is a quiet line of a node. child is nil until the line is drawn.
type edge struct {
	segment uint8
	child   *node
}

// terms disables parts of the search, for tests.
type terms uint

const (
	noWin         terms = 1 << iota // outcomes are proportional to boxes
	noScore                         // outcomes are wins only
	noFirstPlay                     // all lines of a node are tried before one is repeated
	noExactLeaves                   // a simple rule plays on after the quiet phase
	noSymmetry                      // symmetric positions have different nodes
	noQuietLeaves                   // a playout continues until no quiet line is left
)

// tree is the tree of one thread.
type tree struct {
	b         *grid.Board
	table     [][8]uint64 // hash of a line under each symmetry
	rng       *rand.Rand
	nodes     map[uint64]*node // by key
	nodeLimit int
	solve     func(free grid.Set, tie int, e exact.Effort) (v int, ok bool) // see exact.Leaves.Value
	depth     int                                                           // length of the longest path of the search
	plays     int                                                           // number of playouts of the search
	terms     terms
	scratch   []int
}

// outcome returns the outcome, from -1 to 1, of a game with a final score difference in boxes.
func (t *tree) outcome(difference int) float64 {
	share := winShare
	switch {
	case t.terms&noWin != 0:
		share = 0
	case t.terms&noScore != 0:
		share = 1
	}
	u := (1 - share) * math.Max(-1, math.Min(1, 2*float64(difference)/float64(t.b.Squares())))
	switch {
	case difference > 0:
		u += share
	case difference < 0:
		u -= share
	}
	return u
}

// playout descends the tree from a state in its node's orientation, adds a leaf, evaluates it and
// updates all nodes on the path. In a full tree, the last node on the path is evaluated again.
func (t *tree) playout(st state) {
	var path []*node
	n := t.node(t.key(&st) | 1)
	for {
		if len(path) > 0 && (n.visits == 0 || n.proved) {
			break
		}
		if !n.expanded {
			t.expand(n, &st)
		}
		if len(n.edges) == 0 {
			break
		}
		e := t.choose(n)
		if e.child == nil && len(t.nodes) >= t.nodeLimit {
			break
		}
		t.draw(&st, int(e.segment))
		if e.child == nil {
			e.child = t.node(t.key(&st) | 1)
		}
		st = t.oriented(st)
		path = append(path, n)
		n = e.child
	}
	t.plays++
	t.depth = max(t.depth, len(path))
	v := t.value(n, st)
	for i := len(path); ; i-- {
		n.visits++
		n.score += float64(v)
		n.outcome += t.outcome(st.lead + v)
		if i == 0 {
			return
		}
		won := n.proved && st.lead+v < 0 // by the side that drew the last line
		n = path[i-1]
		st.lead, v = -st.lead, -v
		if won {
			n.proved, n.value = true, int8(v)
		}
	}
}

func (t *tree) node(key uint64) *node {
	n := t.nodes[key]
	if n == nil {
		n = &node{key: key}
		t.nodes[key] = n
	}
	return n
}

// expand sets the edges of n, the node of st, to the quiet lines, one of equivalent ones.
func (t *tree) expand(n *node, st *state) {
	n.expanded = true
	seen := map[uint64]bool{}
	for _, s := range st.free.Segments() {
		if !t.quiet(st, s) {
			continue
		}
		after := *st
		t.draw(&after, s)
		if k := t.key(&after); !seen[k] {
			seen[k] = true
			n.edges = append(n.edges, edge{segment: uint8(s)})
		}
	}
	t.rng.Shuffle(len(n.edges), func(i, j int) { n.edges[i], n.edges[j] = n.edges[j], n.edges[i] })
}

// choose returns the edge of a node with edges that has the greatest upper confidence bound.
func (t *tree) choose(n *node) *edge {
	best, top := &n.edges[0], math.Inf(-1)
	scale := exploration * math.Sqrt(math.Log(float64(n.visits+1)))
	untried := -firstPlay + scale*0.7 // about 1/√2
	if t.terms&noFirstPlay != 0 {
		untried = math.MaxFloat64
	}
	if n.visits > 0 {
		untried += n.outcome / float64(n.visits)
	}
	for i := range n.edges {
		e := &n.edges[i]
		u := untried
		if e.child != nil && e.child.visits > 0 {
			v := float64(e.child.visits)
			u = -e.child.outcome/v + scale/math.Sqrt(v)
		}
		if u > top {
			best, top = e, u
		}
	}
	return best
}

// value evaluates st, the state of node n, for the side to move. On a board that the solver accepts,
// its table is consulted first. Then value draws random quiet lines until few are left, and the
// solver determines the winner. On a larger board, or if the solver uses up its budget, value
// continues until no quiet line is left and returns loonyValue. A proof for st itself sets n.proved.
func (t *tree) value(n *node, st state) int {
	if n.proved {
		return int(n.value)
	}
	// On a larger board the solver would need a new graph for each position.
	early := t.b.Segments() <= exact.MaxEdges && t.terms&(noExactLeaves|noQuietLeaves) == 0
	whole, lead, sign := st.free, st.lead, 1
	solve := func(e exact.Effort) (v int, ok bool) {
		if v, ok = t.solve(st.free, -sign*lead, e); ok && st.free == whole {
			n.proved, n.value = true, int8(v)
		}
		return sign * v, ok
	}
	if early {
		if v, ok := solve(exact.LookUp); ok {
			return v
		}
	}
	lines := st.free.Segments()
	t.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for _, s := range lines {
		if !t.quiet(&st, s) {
			continue
		}
		if early && t.fewQuiet(&st) {
			if v, ok := solve(exact.WhoWins); ok {
				return v
			}
			early = false
		}
		t.remove(&st, s)
		sign = -sign
	}
	return sign * t.loonyValue(st, sign*lead)
}

// loonyValue estimates the value of a state without quiet lines for the side to move. lead replaces
// st.lead. While there are too many lines for the solver, the side to move gives away as few boxes
// as possible. The opponent takes one or two boxes and moves next. Of three or more, the opponent
// takes all but two and declines these in a double-deal, so the same side must move again.
func (t *tree) loonyValue(st state, lead int) int {
	limit := exact.MaxEdges
	if t.terms&noExactLeaves != 0 {
		limit = 0
	}
	sign, total := 1, 0
	for st.free.Len() > limit {
		cheapest, taken := -1, maxBoxes
		for _, s := range st.free.Segments() {
			after := st
			if k := t.play(&after, s); k < taken {
				cheapest, taken = s, k
			}
		}
		t.play(&st, cheapest)
		if taken >= 3 {
			total -= sign * (taken - 4)
		} else {
			total -= sign * taken
			sign = -sign
		}
	}
	if st.free == (grid.Set{}) {
		return total
	}
	v, _ := t.solve(st.free, -sign*(lead+total), exact.WholeValue)
	return total + sign*v
}

func (t *tree) fewQuiet(st *state) bool {
	n := 0
	for _, s := range st.free.Segments() {
		if t.quiet(st, s) {
			if n++; n > leafQuiet {
				return false
			}
		}
	}
	return true
}
