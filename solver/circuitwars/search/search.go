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

// Quality depends more on the evaluation than on the depth, so the search has no reductions,
// no quiescence and one thread (data/results/tried-circuitwars.md).

// Searcher is an anytime search: iterative deepening alpha-beta with the static evaluation
// and a transposition table that is kept between searches. Its scores are estimates. It is
// not safe for concurrent use.
type Searcher struct {
	g      *geometry
	table  []entry
	mask   uint64
	search uint8 // number of the running search, modulo 256

	ctx      context.Context
	deadline time.Time
	limited  bool
	stopped  bool
	nodes    uint64
	history  [2 * 64]int32

	// NodeLimit ends a search after about this number of nodes; 0 means no limit.
	NodeLimit uint64

	// Report, if not nil, is called after every ply with the result so far, without lines.
	Report func(Result)
}

// entry is a slot of the transposition table, 16 bytes. A new entry replaces one that is at
// most slightly deeper, and any entry of an earlier search, whose position may not recur.
type entry struct {
	key    uint64
	value  int16
	depth  uint8
	bound  uint8
	move   int16
	search uint8
}

const (
	boundNone = iota
	boundExact
	boundLower
	boundUpper
)

// infinity is above every score, in units. A board has at most 56 squares.
const infinity = 1 << 10

// maxPly is the maximum depth of a line.
const maxPly = circuitwars.MaxSegments + 1

// New returns a searcher for a board, with a table of about tableBytes bytes.
func New(b *grid.Board, tableBytes int64) (*Searcher, error) {
	if b.Segments() > circuitwars.MaxSegments {
		return nil, fmt.Errorf("board %s: has %d segments, at most %d are possible", b, b.Segments(), circuitwars.MaxSegments)
	}
	n := max(1024, tableBytes/16)
	size := uint64(1) << (bits.Len64(uint64(n)) - 1)
	c := &Searcher{g: newGeometry(b), mask: size - 1}
	c.table = tt.Make[entry](c, int(size))
	return c, nil
}

// Estimate is the estimate of a root move.
type Estimate struct {
	Segment int
	Score   int   // squares gained from now on minus those lost
	Line    []int // expected segments after the move
}

// Result is the result of a search. Moves is sorted, best first. If Search was called with
// all, every move was searched with a full window; otherwise the scores of all moves except
// the first are upper bounds.
type Result struct {
	Moves []Estimate
	Depth int // plies completed
	Nodes uint64
}

// squares rounds a score to whole squares.
func squares(score int) int { return int(math.Round(float64(score) / unit)) }

// root is a move at the root. Far from the end, nearly all moves have equal scores. Among
// them, the move is preferred whose position is the least symmetric: it is harder for an
// opponent who mirrors moves, and it decomposes into components that can be solved earlier.
type root struct {
	Estimate
	child state
	gain  int
	apart int
}

// root plays a move. It does not set the score.
func (g *geometry) root(st *state, s int) root {
	r := root{child: *st}
	r.Segment = s
	r.gain = unit * g.play(&r.child, s)
	r.apart = g.asymmetry(&r.child)
	return r
}

// before compares moves of equal scores, the preferred one first.
func (r *root) before(o *root) int { return cmp.Compare(o.apart, r.apart) }

// roots returns the moves of a position with their static evaluations, best first.
func (g *geometry) roots(p circuitwars.Position) []root {
	st := g.start(p)
	var out []root
	for _, s := range p.Free().Segments() {
		r := g.root(&st, s)
		r.Score = r.gain - g.evaluate(&r.child)
		out = append(out, r)
	}
	sortRoots(out)
	return out
}

// sortRoots sorts moves by their score, the best first.
func sortRoots(list []root) {
	slices.SortStableFunc(list, func(a, b root) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.before(&b))
	})
}

// Search searches a position until the context ends, the deadline passes, depthLimit is
// reached (0: no limit), or the whole tree is searched. It completes at least one ply.
func (c *Searcher) Search(ctx context.Context, p circuitwars.Position, deadline time.Time, depthLimit int, all bool) Result {
	c.ctx, c.deadline, c.limited, c.stopped, c.nodes = ctx, deadline, !deadline.IsZero(), false, 0
	c.search++
	for i := range c.history {
		c.history[i] /= 8
	}
	roots := c.g.roots(p)
	limit := len(roots)
	if depthLimit > 0 {
		limit = min(limit, depthLimit)
	}
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

// estimates returns the roots with scores in whole squares.
func estimates(roots []root) []Estimate {
	out := make([]Estimate, len(roots))
	for i, r := range roots {
		out[i] = r.Estimate
		out[i].Score = squares(r.Score)
	}
	return out
}

// report calls Report with the result so far, without lines.
func (c *Searcher) report(roots []root, depth int) {
	if c.Report != nil {
		c.Report(Result{Moves: estimates(roots), Depth: depth, Nodes: c.nodes})
	}
}

// deepen searches the roots to a depth and returns them best first. Without all, the scores
// of the moves except the first are upper bounds. If the search is interrupted, the result
// is used if a better move was found, else ok is false.
func (c *Searcher) deepen(roots []root, depth int, all bool) (next []root, ok bool) {
	next = slices.Clone(roots)
	best := 0
	for i := range next {
		r := &next[i]
		if all || i == 0 {
			r.Score = r.gain - c.negamax(&r.child, depth-1, -infinity, infinity, 1)
			if c.stopped {
				break
			}
			if top := &next[best]; r.Score > top.Score || r.Score == top.Score && r.before(top) < 0 {
				best = i
			}
			continue
		}
		top := &next[best]
		target := top.Score
		if r.before(top) >= 0 {
			target++
		}
		v := r.gain - c.negamax(&r.child, depth-1, r.gain-target, r.gain-target+1, 1)
		if v >= target && !c.stopped {
			v = r.gain - c.negamax(&r.child, depth-1, -infinity, r.gain-target+1, 1)
		}
		if c.stopped {
			break
		}
		if v >= target {
			best = i
		} else {
			// The score is only an upper bound.
			v = min(v, r.Score, top.Score)
		}
		r.Score = v
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
	sortRoots(next[1:]) // the first stays before moves with equal scores
	return next, true
}

// EvaluateMoves returns the static evaluations of all moves, best first; moves that Search
// does not distinguish initially are in random order.
func EvaluateMoves(p circuitwars.Position) []Estimate {
	list := newGeometry(p.Board()).roots(p)
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	sortRoots(list)
	return estimates(list)
}

// line returns the best moves stored in the table.
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
		if solver.Yield(); c.ctx.Err() != nil || c.limited && !time.Now().Before(c.deadline) || c.NodeLimit > 0 && c.nodes >= c.NodeLimit {
			c.stopped = true
		}
	}
	return c.stopped
}

// option is a move at a node; moves with higher scores are searched first.
type option struct{ segment, score int }

// options appends the distinct moves of a position, the most promising first.
func (c *Searcher) options(to []option, st *state, tableMove, depth int) []option {
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

// negamax returns the value for the side to move by fail-soft alpha-beta.
func (c *Searcher) negamax(st *state, depth, alpha, beta, ply int) int {
	c.nodes++
	if c.timeUp() {
		return 0
	}
	if st.free.empty() {
		return 0
	}
	if depth == 0 || ply >= maxPly {
		return c.g.evaluate(st)
	}
	e := &c.table[st.hash&c.mask]
	first := -1
	if e.bound != boundNone && e.key == st.hash {
		first = int(e.move)
		if int(e.depth) >= depth {
			v := int(e.value)
			if e.bound == boundExact || e.bound == boundLower && v >= beta || e.bound == boundUpper && v <= alpha {
				return v
			}
		}
	}
	var buf [2 * 64]option
	options := c.options(buf[:0], st, first, depth)
	best, bestMove, low := -infinity, -1, alpha
	for i, o := range options {
		child := *st
		gain := unit * c.g.play(&child, o.segment)
		var v int
		if i == 0 {
			v = gain - c.negamax(&child, depth-1, gain-beta, gain-low, ply+1)
		} else {
			v = gain - c.negamax(&child, depth-1, gain-low-1, gain-low, ply+1)
			if v > low && v < beta {
				v = gain - c.negamax(&child, depth-1, gain-beta, gain-low, ply+1)
			}
		}
		if c.stopped {
			return 0
		}
		if v > best {
			best, bestMove = v, o.segment
		}
		if low = max(low, v); low >= beta {
			c.history[o.segment] += int32(depth * depth)
			break
		}
	}
	bound := uint8(boundExact)
	switch {
	case best >= beta:
		bound = boundLower
	case best <= alpha:
		bound = boundUpper
	}
	if e.bound == boundNone || e.key == st.hash || int(e.depth) <= depth+2 || e.search != c.search {
		*e = entry{key: st.hash, value: int16(best), depth: uint8(depth), bound: bound, move: int16(bestMove), search: c.search}
	}
	return best
}

// twin reports whether s is a border segment of a square with another free border segment
// with a lower number; the two moves are equivalent.
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
