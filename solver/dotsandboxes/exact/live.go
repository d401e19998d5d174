package exact

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"endwise/engine/grid"
	"endwise/solver"
)

// Live search is for positions that cannot be solved in the time there is:
// Monte Carlo tree search (UCT, Kocsis and Szepesvári, 2006) on R-type positions up to board symmetry,
// with exact solves as its leaves. A playout draws random quiet lines, which
// give no box away, until few are left; who wins then the exact solver says in a
// fraction of a millisecond, also by what hands boxes out early. So the tree
// decides about the quiet phase, in which the number of chains is settled, and
// never guesses how the chains are played out.
//
// The tree has quiet lines only. To hand out chains of one and two boxes, to
// pass the turn, was tried and lost: 0.22 ± 0.14 wins and 0.62 ± 0.43 boxes a
// game at 300 playouts a move, 0.19 ± 0.15 and 0.48 ± 0.48 at 1500 (95 %
// intervals of 100 pairs of games on 5x5, TestTermsMatch). Such moves matter
// near the end of the quiet phase, which the exact solver plays.

// Estimate is what live search thinks of one line.
type Estimate struct {
	Segment int
	Score   float64 // expected value for the side that draws it, in boxes
	Visits  int
}

// LiveResult is what a live search found.
type LiveResult struct {
	Moves    []Estimate // the most visited first; lines equal by symmetry once
	Playouts int
	Depth    int     // the longest path in the tree
	Value    float64 // expected value of the position in boxes
	Nodes    uint64  // expansions of the exact leaves
	Kept     int     // playouts of earlier searches that this one began with
}

const (
	exploration = 0.6
	// firstPlay is what an untried line is worth less than its parent.
	firstPlay = 0.1
	// winShare is the part of an outcome that depends on who wins; the rest
	// grows with the margin.
	winShare = 0.75
	// leafQuiet is how many quiet lines are left at most where a random game is
	// over because the solver says who wins it.
	leafQuiet = 5
	// leafExpansions bounds the exact solve of a leaf without quiet lines,
	// quietExpansions the question who wins one that has some.
	leafExpansions  = 20_000
	quietExpansions = 2_000
	maxBoxes        = grid.MaxSegments / 2
)

// state is an R-type position on the way down the tree.
type state struct {
	free grid.Set
	open [maxBoxes]uint8
	lead int // boxes of the side to move minus the other's, so far
	hash [8]uint64
}

// liveNode is a position in the tree, with values for its side to move.
type liveNode struct {
	key     uint64
	visits  int
	outcome float64 // sum of outcomes, from -1 to 1 each
	margin  float64 // sum of values of the position in boxes
	edges   []liveEdge
	made    bool
	// known says that a solve has told who wins; value is then a bound of the
	// value on the winner's side.
	known bool
	value int8
}

type liveEdge struct {
	segment uint8
	child   *liveNode
}

// terms switches parts of the estimate off, for the matches that show what each
// is worth. The zero value is the whole estimate. Quiet leaves are worth most: in
// positions of good play on 5x5 with 40 to 44 lines left the line that is liked best
// after 0.1 s is one of the best in 51 % of 194 searches, without them after 0.15 s
// in 36 % of 174, a line at random in 35 %. Of the others no match of 100 pairs
// there, without quiet leaves, with 300 to 1500 playouts a move, and the exact solver
// from 8 safe lines on, has decided: every 95 % interval of wins, about ±0.14 a game,
// holds zero.
type terms uint

const (
	noWin         terms = 1 << iota // outcomes count boxes only
	noMargin                        // outcomes count wins only
	noFirstPlay                     // every line of a node is tried before one is tried again
	noExactLeaves                   // what is left after the quiet phase is played out by a rule
	noSymmetry                      // images of a position are other positions
	noQuietLeaves                   // a random game goes on until no quiet line is left
)

// live is one tree, grown by one goroutine.
type live struct {
	b       *grid.Board
	table   [][8]uint64 // line → its hash under each symmetry
	rng     *rand.Rand
	nodes   map[uint64]*liveNode
	most    int // nodes that the tree may have
	solve   func(free grid.Set, tie int, e effort) (v int, ok bool)
	depth   int
	plays   int
	terms   terms
	scratch []int
}

// LiveOptions are what a live search is told besides the position.
type LiveOptions struct {
	// Lead is how many boxes the side to move has more than the other.
	Lead int
	// Seed of the random playouts.
	Seed uint64
	// Playouts ends the search after so many on each thread; 0 leaves it to
	// the context.
	Playouts int
	// Keep begins with the tree of an earlier search that came through this
	// position with this lead, and keeps the new one for the positions after
	// it (reuse.go). Without, searches know nothing of each other.
	Keep bool
	// Full ends the search as well when its trees have no more room.
	Full bool
	// Report, if set, is told now and then by one of the threads what its tree
	// says so far.
	Report func(LiveResult)
}

// reportEvery is how often the report is told.
const reportEvery = 10 * time.Millisecond

// Search estimates the moves of an R-type position by live search until the
// context ends.
func (s *Solver) Search(ctx context.Context, b *grid.Board, free grid.Set, o LiveOptions) LiveResult {
	var stop atomic.Bool
	release := context.AfterFunc(ctx, func() { stop.Store(true) })
	defer release()
	deadline, limited := ctx.Deadline()
	trees := s.trees(b, free, o)
	solvers := make([]*leafSolver, s.threads)
	var r LiveResult
	var group sync.WaitGroup
	for i, t := range trees {
		solvers[i] = s.leafSolver(&stop, deadline)
		t.rng = rand.New(rand.NewPCG(o.Seed, uint64(i)))
		t.solve = func(f grid.Set, tie int, e effort) (int, bool) { return solvers[i].value(b, f, tie, e) }
		st := t.oriented(t.newState(free, o.Lead))
		if root := t.nodes[t.key(&st)|1]; root != nil {
			r.Kept += root.visits
		}
		group.Go(func() {
			reported := time.Now()
			for !stop.Load() && (o.Playouts == 0 || t.plays < o.Playouts) && !(limited && time.Now().After(deadline)) && !(o.Full && len(t.nodes) >= t.most) {
				t.playout(st)
				solver.Yield()
				if i == 0 && o.Report != nil && time.Since(reported) >= reportEvery {
					var so LiveResult
					t.merge(&so, trees[:1], free, o.Lead)
					o.Report(so)
					reported = time.Now()
				}
			}
		})
	}
	group.Wait()
	trees[0].merge(&r, trees, free, o.Lead)
	for i, l := range solvers {
		r.Nodes += l.w.expansions
		trees[i].solve = nil
		s.mu.Lock()
		s.workers = append(s.workers, l.w)
		s.mu.Unlock()
	}
	if o.Keep {
		s.keep(trees)
	}
	return r
}

// merge adds up the roots of all trees, and names the lines as they lie in
// the position that was asked about.
func (t *live) merge(r *LiveResult, trees []*live, free grid.Set, lead int) {
	asked := t.newState(free, lead)
	root := t.key(&asked) | 1
	line := t.b.Symmetries()[t.symmetry(&asked)].Segment
	back := make([]int, len(line))
	for s, to := range line {
		back[to] = s
	}
	at := map[uint8]int{}
	var margin float64
	visits := 0
	for _, t := range trees {
		r.Playouts += t.plays
		r.Depth = max(r.Depth, t.depth)
		root := t.nodes[root]
		if root == nil {
			continue
		}
		margin += root.margin
		visits += root.visits
		for _, e := range root.edges {
			i, ok := at[e.segment]
			if !ok {
				i = len(r.Moves)
				at[e.segment] = i
				r.Moves = append(r.Moves, Estimate{Segment: back[e.segment]})
			}
			if e.child != nil {
				r.Moves[i].Visits += e.child.visits
				r.Moves[i].Score -= e.child.margin
			}
		}
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Visits > 0 {
			m.Score /= float64(m.Visits)
		}
	}
	if visits > 0 {
		r.Value = margin / float64(visits)
	}
	slices.SortStableFunc(r.Moves, func(a, b Estimate) int {
		if c := cmp.Compare(b.Visits, a.Visits); c != 0 {
			return c
		}
		return cmp.Compare(b.Score, a.Score)
	})
}

// newState sets up a position.
func (t *live) newState(free grid.Set, lead int) state {
	st := state{free: free, lead: lead}
	for q := range t.b.Squares() {
		for _, s := range t.b.Around(q) {
			if free.Has(s) {
				st.open[q]++
			}
		}
	}
	for _, s := range free.Segments() {
		for k := range st.hash {
			st.hash[k] ^= t.table[s][k]
		}
	}
	return st
}

// key names a state up to board symmetry, the lead included.
func (t *live) key(st *state) uint64 {
	k := st.hash[0]
	if t.terms&noSymmetry == 0 {
		for _, h := range st.hash[1:] {
			k = min(k, h)
		}
	}
	return mix(k + uint64(st.lead+128)*0x9e3779b97f4a7c15)
}

// oriented is the state as it lies in the node of its key: the edges of a node
// name lines, so that all ways into it must see the board in one orientation.
func (t *live) oriented(st state) state {
	best := t.symmetry(&st)
	if best == 0 {
		return st
	}
	return t.newState(t.b.Symmetries()[best].Apply(st.free), st.lead)
}

// symmetry is the number of the one that turns a state into its node's.
func (t *live) symmetry(st *state) int {
	best := 0
	if t.terms&noSymmetry != 0 {
		return best
	}
	for k, h := range st.hash {
		if h < st.hash[best] {
			best = k
		}
	}
	return best % len(t.b.Symmetries())
}

// quiet says whether a free line gives no box away.
func (t *live) quiet(st *state, s int) bool {
	for _, q := range t.b.Sides(s) {
		if q != grid.Outside && st.open[q] <= 2 {
			return false
		}
	}
	return true
}

// remove draws a line without looking at what it completes.
func (t *live) remove(st *state, s int) {
	st.free.Remove(s)
	for _, q := range t.b.Sides(s) {
		if q != grid.Outside {
			st.open[q]--
		}
	}
	for k := range st.hash {
		st.hash[k] ^= t.table[s][k]
	}
}

// draw draws a quiet line; the sides change.
func (t *live) draw(st *state, s int) {
	t.remove(st, s)
	st.lead = -st.lead
}

// play draws a line and lets the opponent take what it gives away; the sides
// change. It returns the boxes taken.
func (t *live) play(st *state, s int) (taken int) {
	t.remove(st, s)
	queue := t.scratch[:0]
	for _, q := range t.b.Sides(s) {
		if q != grid.Outside && st.open[q] == 1 {
			queue = append(queue, q)
		}
	}
	for len(queue) > 0 {
		q := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if st.open[q] != 1 {
			continue
		}
		for _, l := range t.b.Around(q) {
			if !st.free.Has(l) {
				continue
			}
			t.remove(st, l)
			taken++
			for _, o := range t.b.Sides(l) {
				if o != grid.Outside && o != q {
					switch st.open[o] {
					case 0:
						taken++
					case 1:
						queue = append(queue, o)
					}
				}
			}
		}
	}
	t.scratch = queue[:0]
	st.lead = -st.lead + taken
	return taken
}

// outcome puts a final margin on the scale of the tree.
func (t *live) outcome(margin int) float64 {
	share := winShare
	switch {
	case t.terms&noWin != 0:
		share = 0
	case t.terms&noMargin != 0:
		share = 1
	}
	u := (1 - share) * math.Max(-1, math.Min(1, 2*float64(margin)/float64(t.b.Squares())))
	switch {
	case margin > 0:
		u += share
	case margin < 0:
		u -= share
	}
	return u
}

// playout goes down the tree from a state that lies as its node does, adds a
// leaf, values it and backs that up. A full tree takes no more leaves: the last
// node on the way gets the value of another random ending.
func (t *live) playout(st state) {
	var path []*liveNode
	n := t.node(t.key(&st) | 1)
	for {
		if len(path) > 0 && (n.visits == 0 || n.known) {
			break
		}
		if !n.made {
			t.expand(n, &st)
		}
		if len(n.edges) == 0 {
			break
		}
		e := t.choose(n)
		if e.child == nil && len(t.nodes) >= t.most {
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
		n.margin += float64(v)
		n.outcome += t.outcome(st.lead + v)
		if i == 0 {
			return
		}
		won := n.known && st.lead+v < 0 // by the side that has drawn the last line
		n = path[i-1]
		st.lead, v = -st.lead, -v
		if won {
			n.known, n.value = true, int8(v)
		}
	}
}

func (t *live) node(key uint64) *liveNode {
	n := t.nodes[key]
	if n == nil {
		n = &liveNode{key: key}
		t.nodes[key] = n
	}
	return n
}

// expand lists the lines worth trying, one of those equal by symmetry.
func (t *live) expand(n *liveNode, st *state) {
	n.made = true
	seen := map[uint64]bool{}
	for _, s := range st.free.Segments() {
		if !t.quiet(st, s) {
			continue
		}
		after := *st
		t.draw(&after, s)
		if k := t.key(&after); !seen[k] {
			seen[k] = true
			n.edges = append(n.edges, liveEdge{segment: uint8(s)})
		}
	}
	t.rng.Shuffle(len(n.edges), func(i, j int) { n.edges[i], n.edges[j] = n.edges[j], n.edges[i] })
}

// choose picks the edge with the best upper confidence bound.
func (t *live) choose(n *liveNode) *liveEdge {
	best, top := &n.edges[0], math.Inf(-1)
	scale := exploration * math.Sqrt(math.Log(float64(n.visits+1)))
	untried := -firstPlay + scale*0.7
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

// value is what a state, that of node n, is worth for the side to move: by what the
// table says of it, or else by the end of a random game. Quiet lines are drawn until
// few enough are left for the solver to say who wins, or where that takes too long
// until none is left.
func (t *live) value(n *liveNode, st state) int {
	if n.known {
		return int(n.value)
	}
	// A larger board needs a frame for each position, and its chains many
	// expansions: there were five times fewer playouts on 6x6 and 7x7.
	early := t.b.Segments() <= MaxEdges && t.terms&(noExactLeaves|noQuietLeaves) == 0
	whole, lead, sign, total := st.free, st.lead, 1, 0
	ask := func(e effort) (v int, ok bool) {
		if v, ok = t.solve(st.free, -sign*lead, e); ok && st.free == whole {
			n.known, n.value = true, int8(v)
		}
		return sign * v, ok
	}
	if early {
		if v, ok := ask(lookUp); ok {
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
			if v, ok := ask(whoWins); ok {
				return v
			}
			early = false
		}
		t.remove(&st, s)
		sign = -sign
	}
	// Too many lines for the solver: the cheapest chain is opened, and the
	// opponent keeps control of it where that is possible.
	most := MaxEdges
	if t.terms&noExactLeaves != 0 {
		most = 0
	}
	for st.free.Len() > most {
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
	v, _ := t.solve(st.free, -sign*(lead+total), wholeValue)
	return total + sign*v
}

// fewQuiet says whether few enough quiet lines are left for a leaf.
func (t *live) fewQuiet(st *state) bool {
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

// effort is how much is asked of a leaf.
type effort int

const (
	lookUp     effort = iota // what the table says
	whoWins                  // whether its value is more than a tie, or less
	wholeValue               // its value
)

// leafSolver solves small positions for one tree.
type leafSolver struct {
	s        *Solver
	stop     *atomic.Bool
	deadline time.Time
	w        *worker
}

func (s *Solver) leafSolver(stop *atomic.Bool, deadline time.Time) *leafSolver {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &leafSolver{s: s, stop: stop, deadline: deadline}
	if n := len(s.workers); n > 0 {
		l.w, s.workers = s.workers[n-1], s.workers[:n-1]
	} else {
		l.w = newWorker(nil, s.table, s.use)
	}
	l.w.prepare(l.w.g, stop, deadline, nil)
	return l
}

// value is the value of an R-type position, or where e asks for no more or the value
// takes too many expansions a bound of it, with ok if that says whether the value is
// more than a tie's, or less.
func (l *leafSolver) value(board *grid.Board, free grid.Set, tie int, e effort) (v int, ok bool) {
	g, err := l.s.boardGraph(board, free)
	if err != nil {
		return 0, false // the caller has seen to the size
	}
	w := l.w
	before := w.expansions
	w.prepare(g, l.stop, l.deadline, nil)
	mask := g.Mask(free)
	boxes := g.boxesIn(mask)
	key, _ := w.keyOf(mask, parentHint{}, &w.plies[0].shape)
	var b solver.Bounds
	b.Lower, b.Upper = w.table.Probe(key.hi, key.lo, -boxes, boxes)
	told := func(b solver.Bounds) bool { return b.Lower > tie || b.Upper < tie || b.Exact() }
	if e != lookUp {
		w.budget = leafExpansions
		var done func(solver.Bounds) bool
		if e == whoWins {
			w.budget, done = quietExpansions, told
		}
		b = b.Narrow(tie+(tie+boxes)&1, func(t int) (int, bool) {
			v := w.atLeast(0, mask, parentHint{}, boxes, t, false)
			return v, !w.stopped
		}, done)
		w.budget, w.stopped = 0, false
	}
	w.expansions += before
	switch {
	case b.Lower > tie:
		v = b.Lower
	case b.Upper < tie:
		v = b.Upper
	default:
		v = (b.Lower + b.Upper) / 2
	}
	return v, told(b)
}
