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

// In Circuit Wars it is the evaluation that counts, not the depth: on positions
// whose value is known 3, 4 and 5 plies keep the value equally often (see
// evaluate.go), four times the nodes gained one position of 230 with
// the evaluation of before and lost six with finer weights, and 10,000 nodes a
// move won 103 of 189 games against 5,000 (54 %, +-7), where the new evaluation
// won 175 of 269 against the old one at 5,000 nodes both (65 %, +-6). Games
// began with eight random moves, sides swapped, and were decided by the exact
// solver at 42 free segments. So these, each tried, are left out:
//
//   - Late move reductions, by one ply from the 5th move that captures nothing
//     on and by two from the 17th: a quarter of the nodes to depth 5 and the
//     same move in 7 of 7 positions of 50 to 60 free segments; at equal nodes
//     207 values kept instead of 210 of 230, and 74 games to 78. From the 9th
//     move on, by one ply: 207 as well.
//   - Late move pruning, in the last two plies from the 13th such move on: 198
//     instead of 210.
//   - Quiescence, captures played on at the leaves for up to 4 plies: 210, for
//     1.7 times the nodes to a depth. The sum of pieces says it already.
//   - Killer moves: 208, and as many nodes to a depth. The history is enough.
//   - Two threads on one table: they could at best do as well as twice the
//     nodes. The exact solver has a use for the second core (package book).
//
// The figures out of 230 were taken with finer weights of the evaluation than
// those that are here now, the games with these.

// Searcher is an anytime search for positions too far from the end to be
// solved: iterative deepening alpha-beta on the evaluation of
// geometry.evaluate, with a transposition table that is kept between moves.
// Its scores are estimates. It is for one goroutine at a time.
type Searcher struct {
	g      *geometry
	table  []entry
	mask   uint64
	search uint8 // that is running, where entries have it

	ctx      context.Context
	deadline time.Time
	limited  bool
	stopped  bool
	nodes    uint64
	history  [2 * 64]int32

	// NodeLimit ends a search after about so many nodes; 0 for no limit.
	NodeLimit uint64

	// Report, if set, is told after every ply what Search would return if it
	// were stopped then, the lines left out.
	Report func(Result)
}

// entry is a slot of the transposition table, 16 bytes. It gives way to one of
// the same depth or nearly so, and to any of a later search: its position may
// never come again.
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

// infinity is above every score, in units: a board has at most 56 squares.
const infinity = 1 << 10

// maxPly bounds the depth of a line by the number of segments.
const maxPly = circuitwars.MaxSegments + 1

// New makes a searcher for one board with a table of about the
// given size in bytes.
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

// Estimate is what the search thinks of one root move.
type Estimate struct {
	Segment int
	Score   int   // for the side to move: future squares gained minus lost
	Line    []int // segments after the move as the search expects them
}

// Result is what a search found; Moves is sorted, best first. With all set in
// Search every move has been searched with a full window, without it moves
// behind the first are only known to be no better.
type Result struct {
	Moves []Estimate
	Depth int // plies completed
	Nodes uint64
}

// squares rounds a score of the search to whole squares.
func squares(score int) int { return int(math.Round(float64(score) / unit)) }

// root is a move at the root of a search. Far from the end nearly all moves
// have one score, and among equals those are preferred that keep the position
// furthest from every symmetry: an opponent who answers with images is hardest
// put to it, and the position falls into pieces that can be solved sooner than
// one left by random moves.
type root struct {
	Estimate
	child state
	gain  int
	apart int
}

// root plays a move; the score is left open.
func (g *geometry) root(st *state, s int) root {
	r := root{child: *st}
	r.Segment = s
	r.gain = unit * g.play(&r.child, s)
	r.apart = g.asymmetry(&r.child)
	return r
}

// before orders moves of the same score, the preferred one first.
func (r *root) before(o *root) int { return cmp.Compare(o.apart, r.apart) }

// roots are the moves of a position as one ply shows them, best first.
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

func sortRoots(list []root) {
	slices.SortStableFunc(list, func(a, b root) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.before(&b))
	})
}

// Search looks at a position until the context ends, the deadline passes, the
// depth limit is reached (0 for none) or the whole tree is searched. At least
// one ply is always completed.
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

// estimates are the roots in whole squares.
func estimates(roots []root) []Estimate {
	out := make([]Estimate, len(roots))
	for i, r := range roots {
		out[i] = r.Estimate
		out[i].Score = squares(r.Score)
	}
	return out
}

// report tells what has been found, the lines left out.
func (c *Searcher) report(roots []root, depth int) {
	if c.Report != nil {
		c.Report(Result{Moves: estimates(roots), Depth: depth, Nodes: c.nodes})
	}
}

// deepen searches the roots to a depth, and returns them best first. Without
// all, the scores of those behind the first are bounds. An iteration that is cut
// short still counts where it has found a better move; else ok is false.
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
			// Only known to be no better than the best so far.
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
	sortRoots(next[1:]) // the first stays in front of its equals
	return next, true
}

// Glance looks at every move by the evaluation after it, without a table, best
// first as Search has them at first, and those that it can't tell apart in random
// order: something for when there is no time.
func Glance(p circuitwars.Position) []Estimate {
	list := newGeometry(p.Board()).roots(p)
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	sortRoots(list)
	return estimates(list)
}

// line follows the table's best moves.
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

func (c *Searcher) timeUp() bool {
	if c.nodes&63 == 0 {
		if solver.Yield(); c.ctx.Err() != nil || c.limited && !time.Now().Before(c.deadline) || c.NodeLimit > 0 && c.nodes >= c.NodeLimit {
			c.stopped = true
		}
	}
	return c.stopped
}

// option is a move inside the search; the higher its score, the sooner it is
// tried.
type option struct{ segment, score int }

// options appends the different moves of a position, the most promising first.
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

// negamax is fail-soft alpha-beta on the value for the side to move.
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

// twin says whether s is a border segment of a square that has another free
// one with a lower number: the two are the same option.
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
