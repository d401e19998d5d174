package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/tt"
)

// The search has no reductions, no quiescence and one thread: quality depends more on the
// evaluation than on the depth (data/results/tried-circuitwars.md).

// Searcher is an anytime search by iterative deepening alpha-beta. It keeps its transposition table
// between searches. It is not safe for concurrent use.
type Searcher struct {
	g      *geometry
	table  []entry
	mask   uint64
	search uint8 // of the running search, modulo 256

	// The running search.
	ctx      context.Context
	deadline time.Time // zero for none
	stopped  bool      // returned scores have no meaning
	nodes    uint64
	history  [maxSegments]int32 // sum of the squared remaining depths of a segment's cutoffs

	// NodeLimit ends a search after about this number of nodes; 0 means no limit.
	NodeLimit uint64

	// Report, if not nil, is called after every completed depth with the result so far, without
	// lines.
	Report func(Result)
}

const maxSegments = 2 * 64 // in a set

// entry is a slot of the transposition table. A new entry replaces an entry of the same position,
// an entry that is at most two plies deeper, and any entry with another search number.
type entry struct {
	key    uint64
	value  int16 // in units
	depth  uint8
	bound  uint8 // boundNone: an empty slot
	move   int16 // the best segment
	search uint8 // Searcher.search
}

const (
	boundNone = iota
	boundExact
	boundLower
	boundUpper
)

// infinity is above every score, in units.
const infinity = 1 << 10

// New returns a searcher for a board. Its table has a power of two of bytes: as many as fit in
// tableBytes, but at least 16 KiB. It returns an error if the board has more than
// [circuitwars.MaxSegments] segments.
func New(b *grid.Board, tableBytes int64) (*Searcher, error) {
	if n := b.Segments(); n > circuitwars.MaxSegments {
		return nil, fmt.Errorf("board %s has %d segments; at most %d are possible", b, n, circuitwars.MaxSegments)
	}
	n := max(1024, tableBytes/16)
	size := uint64(1) << (bits.Len64(uint64(n)) - 1)
	c := &Searcher{g: newGeometry(b), mask: size - 1}
	c.table = tt.Make[entry](c, int(size))
	return c, nil
}

// Estimate is a move with its estimated value for the side to move.
type Estimate struct {
	Segment int
	Score   int   // squares gained from now on minus those lost
	Line    []int // expected segments after the move
}

// Result is the result of a search. Moves is sorted, best first; see Search for its scores.
type Result struct {
	Moves []Estimate
	Depth int // completed, in plies
	Nodes uint64
}

// root is a move at the root. Of moves with equal scores, the one with the least symmetric position
// is preferred: this is harder for an opponent who mirrors moves, and it decomposes earlier.
type root struct {
	Estimate // Score is in units
	child    state
	gain     int // in units
	apart    int // asymmetry of child
}

// compare is negative if r is preferred to o among moves with equal scores, and positive if o is.
func (r *root) compare(o *root) int { return cmp.Compare(o.apart, r.apart) }

// roots returns the moves of a position with their static evaluations, best first.
func (g *geometry) roots(p circuitwars.Position) []root {
	st := g.start(p)
	var out []root
	for _, s := range p.Free().Segments() {
		r := root{child: st}
		r.Segment = s
		r.gain = unit * g.play(&r.child, s)
		r.apart = g.asymmetry(&r.child)
		r.Score = r.gain - g.evaluate(&r.child)
		out = append(out, r)
	}
	sortRoots(out)
	return out
}

func sortRoots(list []root) {
	slices.SortStableFunc(list, func(a, b root) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.compare(&b))
	})
}

// Search searches a position until the context ends, the deadline passes (zero: no limit),
// depthLimit (0: no limit) or NodeLimit is reached, or the whole tree is searched. It completes at
// least depth 1. If all is true, every move has a line and an estimate by a full search as its
// score. Otherwise only the first move has both; the score of another move is the least upper bound
// found at any depth.
func (c *Searcher) Search(
	ctx context.Context, p circuitwars.Position, deadline time.Time, depthLimit int, all bool,
) Result {
	c.ctx, c.deadline, c.stopped, c.nodes = ctx, deadline, false, 0
	c.search++
	for i := range c.history {
		c.history[i] /= 8
	}
	roots := c.g.roots(p)
	limit := min(len(roots), cmp.Or(depthLimit, math.MaxInt))
	reached := 1
	c.report(roots, reached)
	for depth := 2; depth <= limit && ctx.Err() == nil && !c.stopped; depth++ {
		next, ok := c.deepen(roots, depth, all)
		if !ok {
			break
		}
		if roots = next; !c.stopped {
			reached = depth
			c.report(roots, reached)
		}
	}
	res := Result{Moves: estimates(roots), Depth: reached, Nodes: c.nodes}
	for i := range roots {
		if i == 0 || all {
			res.Moves[i].Line = c.line(roots[i].child)
		}
	}
	return res
}

func estimates(roots []root) []Estimate {
	out := make([]Estimate, len(roots))
	for i, r := range roots {
		out[i] = r.Estimate
		out[i].Score = int(math.Round(float64(r.Score) / unit))
	}
	return out
}

func (c *Searcher) report(roots []root, depth int) {
	if c.Report != nil {
		c.Report(Result{Moves: estimates(roots), Depth: depth, Nodes: c.nodes})
	}
}

// deepen searches the roots to a depth and returns them sorted, with scores as in Search. If the
// search is stopped, ok is true only if all is false and a move better than the first of roots was
// found; next then begins with this move.
func (c *Searcher) deepen(roots []root, depth int, all bool) (next []root, ok bool) {
	next = slices.Clone(roots)
	best := 0
	for i := range next {
		r, top := &next[i], &next[best]
		var v int
		var better bool // than top
		if all || i == 0 {
			v = r.gain - c.negamax(&r.child, depth-1, -infinity, infinity)
			better = v > top.Score || v == top.Score && r.compare(top) < 0
		} else {
			v, better = c.scoreIfBetter(r, top, depth)
		}
		if c.stopped {
			break
		}
		if r.Score = v; better {
			best = i
		}
	}
	if c.stopped && (all || best == 0) {
		return nil, false
	}
	first := next[best]
	next = append([]root{first}, slices.Delete(next, best, best+1)...)
	if c.stopped {
		for i := range next[1:] {
			next[1+i].Score = min(next[1+i].Score, first.Score)
		}
		return next, true
	}
	sortRoots(next[1:]) // the first stays before equal ones
	return next, true
}

// scoreIfBetter tests by a null window whether root r is preferred to top. If it is, v is its score,
// otherwise its least upper bound so far.
func (c *Searcher) scoreIfBetter(r, top *root, depth int) (v int, better bool) {
	target := top.Score
	if r.compare(top) >= 0 {
		target++
	}
	v = r.gain - c.negamax(&r.child, depth-1, r.gain-target, r.gain-target+1)
	if v >= target && !c.stopped {
		v = r.gain - c.negamax(&r.child, depth-1, -infinity, r.gain-target+1)
	}
	if v >= target {
		return v, true
	}
	return min(v, r.Score, top.Score), false
}

// EvaluateMoves returns the static evaluations of all moves, best first and without lines. Moves
// with equal evaluations and equal asymmetry are in random order.
func EvaluateMoves(p circuitwars.Position) []Estimate {
	list := newGeometry(p.Board()).roots(p)
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	sortRoots(list)
	return estimates(list)
}

// line returns at most 16 moves of best play from st by the transposition table.
func (c *Searcher) line(st state) []int {
	var out []int
	for len(out) < 16 && !st.free.empty() {
		e := c.table[st.hash&c.mask]
		if e.bound == boundNone || e.key != st.hash || e.move < 0 || !st.free.has(int(e.move)) {
			break
		}
		out = append(out, int(e.move))
		c.g.play(&st, int(e.move))
	}
	return out
}

// timeUp reports whether the search must stop; it checks the limits at every 64th node.
func (c *Searcher) timeUp() bool {
	if c.nodes&63 == 0 {
		solver.Yield()
		expired := !c.deadline.IsZero() && !time.Now().Before(c.deadline)
		if expired || c.ctx.Err() != nil || c.NodeLimit > 0 && c.nodes >= c.NodeLimit {
			c.stopped = true
		}
	}
	return c.stopped
}

type option struct{ segment, score int }

// orderedMoves appends the moves of a position in the order of the search: tableMove first (-1: none),
// the others by history plus, if depth is above 1, the weighted static evaluation. It omits all but
// one of equivalent border segments of a corner.
func (c *Searcher) orderedMoves(to []option, st *state, tableMove, depth int) []option {
	for k, w := range st.free {
		for ; w != 0; w &= w - 1 {
			s := k<<6 + bits.TrailingZeros64(w)
			if c.g.twin(st, s) {
				continue
			}
			o := option{segment: s, score: int(c.history[s])}
			if s == tableMove {
				o.score = 1 << 30
			} else if depth > 1 {
				child := *st
				gain := unit * c.g.play(&child, s)
				o.score += (gain - c.g.evaluate(&child)) << 13
			}
			to = append(to, o)
		}
	}
	slices.SortFunc(to, func(a, b option) int { return b.score - a.score })
	return to
}

// negamax returns the score for the side to move, in units, by fail-soft alpha-beta. The result has
// no meaning if stopped is set.
func (c *Searcher) negamax(st *state, depth, alpha, beta int) int {
	c.nodes++
	if c.timeUp() || st.free.empty() {
		return 0
	}
	if depth == 0 {
		return c.g.evaluate(st)
	}
	e := &c.table[st.hash&c.mask]
	tableMove := -1
	if e.bound != boundNone && e.key == st.hash {
		if int(e.depth) >= depth && e.decides(alpha, beta) {
			return int(e.value)
		}
		tableMove = int(e.move)
	}
	best, bestMove := c.searchMoves(st, tableMove, depth, alpha, beta)
	if c.stopped {
		return 0
	}
	bound := uint8(boundExact)
	switch {
	case best >= beta:
		bound = boundLower
	case best <= alpha:
		bound = boundUpper
	}
	if e.bound == boundNone || e.key == st.hash || int(e.depth) <= depth+2 || e.search != c.search {
		*e = entry{
			key: st.hash, value: int16(best), depth: uint8(depth), bound: bound,
			move: int16(bestMove), search: c.search,
		}
	}
	return best
}

// searchMoves returns the best score of the moves of st, and its move. depth, alpha and beta are those
// of negamax, tableMove is as in orderedMoves. If stopped is set, the results have no meaning.
func (c *Searcher) searchMoves(st *state, tableMove, depth, alpha, beta int) (best, bestMove int) {
	best, bestMove = -infinity, -1
	var buf [maxSegments]option
	for i, o := range c.orderedMoves(buf[:0], st, tableMove, depth) {
		child := *st
		gain := unit * c.g.play(&child, o.segment)
		v, full := 0, i == 0 // whether to search with the full window
		if i > 0 {
			v = gain - c.negamax(&child, depth-1, gain-alpha-1, gain-alpha)
			full = v > alpha && v < beta
		}
		if full {
			v = gain - c.negamax(&child, depth-1, gain-beta, gain-alpha)
		}
		if c.stopped {
			break
		}
		if v > best {
			best, bestMove = v, o.segment
		}
		if alpha = max(alpha, v); alpha >= beta {
			c.history[o.segment] += int32(depth * depth)
			break
		}
	}
	return best, bestMove
}

// decides reports whether the entry's value can be the result of a search with alpha and beta.
func (e *entry) decides(alpha, beta int) bool {
	switch e.bound {
	case boundExact:
		return true
	case boundLower:
		return int(e.value) >= beta
	default:
		return int(e.value) <= alpha
	}
}

// twin reports whether s is a border segment whose square has another free one with a lower number.
func (g *geometry) twin(st *state, s int) bool {
	if g.ground[s] == 0 {
		return false
	}
	for k, w := range g.around[g.sides[s][0]] {
		for w &= st.free[k]; w != 0; w &= w - 1 {
			o := k<<6 + bits.TrailingZeros64(w)
			if o < s && g.ground[o] != 0 {
				return true
			}
		}
	}
	return false
}
