// Package search is the heuristic search of Watch Your Back: iterative deepening with a
// static evaluation (evaluate.go). [Searcher.Search] searches under [Limits],
// [Searcher.Solve] proves the value of positions near the next shrink. An [Oracle] supplies
// table values of the last two boards.
//
// The search is alpha-beta with a transposition table (worker.go, table.go); every turn is a
// ply, forfeits included. Lines that end just before a shrink are searched to it, leaves to
// the end of exchanges (quiet.go). Late moves are searched less deep, but no move is omitted,
// and the keys of the table are whole positions. So a win or loss found at the end of a line
// or in a table is proved, except if the limit of quiet turns may come first (see inTime). A
// tie is proved if no evaluation contributed to it (see worker.proved). All other scores are
// estimates.
//
// With several threads, all search the same position with one table (lazy SMP). On one
// thread, node counts are reproducible.
//
// data/results/tried-watchyourback.md lists what was tried.
package search

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
	"endwise/solver"
)

// Oracle contains exact values. It is called at every node on the last two boards and must
// be safe for concurrent use.
type Oracle interface {
	// Final returns the value on the 4x4 board for own to move, 1, 0 or -1, and for a win
	// or loss the number of turns to the end.
	Final(own, opp uint64) (value, distance int, ok bool)
	// Middle returns the value on the 6x6 board with the given turns to the second shrink.
	Middle(own, opp uint64, turns int) (value int, ok bool)
}

// Limits limit a search; a zero value means no limit. The first ply is always completed.
type Limits struct {
	Deadline time.Time
	// Aim is the intended average time, below Deadline. The search ends earlier if another
	// iteration would take too long, and later if the last one changed the best move.
	Aim   time.Duration
	Depth int
	Nodes uint64 // per thread
	// Full disables reductions, so that the value is that of minimax with quiescence
	// search.
	Full bool
	// AllMoves requests the score of every root move, not only of the best.
	AllMoves bool
	// Report, if not nil, is called with the result after every ply.
	Report func(Result)
}

// MoveScore is the score of a root move.
type MoveScore struct {
	Move engine.Move
	// Score is in hundredths of a piece, or 1, 0 or -1 if proved.
	Score  int
	Proved bool // the score is the proved value of this move
	// Line is the expected play after the move.
	Line []engine.Move
}

// Result is the result of a search. Moves is sorted, best first, and contains only the best
// move unless AllMoves was set.
type Result struct {
	Moves []MoveScore
	Depth int    // plies completed
	Nodes uint64 // of all threads
	// Proved reports whether the first move's score is the proved value of the position:
	// the move wins, or no other move is better.
	Proved  bool
	settled bool // a deeper search cannot improve the result
}

// Use of Limits.Aim: no iteration starts after enoughPart of it, because it would take
// several times as long as the one before, unless the best move is new or its score has
// dropped by more than unsureDrop.
const (
	enoughPart = 0.5
	unsureDrop = 40
)

// enough reports whether no further iteration should start after the time spent. unsure
// reports whether the best move is new or its score has dropped.
func (l Limits) enough(spent time.Duration, unsure bool) bool {
	return l.Aim > 0 && !unsure && spent > time.Duration(enoughPart*float64(l.Aim))
}

// Searcher searches with one or more threads. It keeps its transposition table between
// searches. It is not safe for concurrent use.
type Searcher struct {
	// Evaluation contains the weights of the static evaluation. It must be set before the
	// first search.
	Evaluation Evaluation

	oracle  Oracle // nil for none
	table   *table
	workers []*worker
	// running counts the goroutines of the last search that have not ended, one per
	// worker except the first.
	running solver.Threads
	ctx     context.Context
	limits  Limits
	stop    atomic.Bool
	nodes   atomic.Uint64
}

// New returns a searcher with the given number of threads and a transposition table of at
// most tableBytes bytes. oracle can be nil.
func New(tableBytes int64, threads int, oracle Oracle) *Searcher {
	s := &Searcher{Evaluation: DefaultEvaluation, oracle: oracle, table: newTable(tableBytes)}
	for range max(1, threads) {
		s.workers = append(s.workers, &worker{s: s})
	}
	return s
}

// begin prepares a search and returns the first worker.
func (s *Searcher) begin(ctx context.Context, l Limits, proving bool) *worker {
	s.running.Wait()
	s.ctx, s.limits = ctx, l
	s.stop.Store(false)
	s.nodes.Store(0)
	for _, w := range s.workers {
		w.begin(proving)
	}
	return s.workers[0]
}

// others starts all workers except the first. Their results reach it through the table.
func (s *Searcher) others(f func(w *worker, i int)) {
	for i, w := range s.workers[1:] {
		s.running.Go(func() {
			f(w, i+1)
			w.checkLimits()
		})
	}
}

// end stops the other workers without waiting, because a worker may not be scheduled soon
// on a busy machine. It returns the nodes so far.
func (s *Searcher) end() uint64 {
	s.workers[0].checkLimits()
	s.stop.Store(true)
	return s.nodes.Load()
}

// roots returns the moves of a node, captures first.
func (w *worker) roots(n node) []candidate {
	list := slices.Clone(w.candidates(n, 0))
	slices.SortStableFunc(list, func(a, b candidate) int { return int(b.order - a.order) })
	return list
}

// rootMoves contains the root's moves during iterative deepening.
type rootMoves struct {
	node  node
	list  []candidate
	moves []MoveScore // by index of list
	order []int       // indices of list, best first
}

// rootMoves returns the moves of the root in their first order.
func (w *worker) rootMoves(n node) *rootMoves {
	r := &rootMoves{node: n, list: w.roots(n)}
	r.moves, r.order = make([]MoveScore, len(r.list)), make([]int, len(r.list))
	for i := range r.order {
		r.order[i] = i
	}
	return r
}

// Search searches a position that is not over. It returns when a limit is reached, the
// context ends, the result is proved, or the maximum depth is reached.
func (s *Searcher) Search(ctx context.Context, p wyb.Position, l Limits) Result {
	start := time.Now()
	w := s.begin(ctx, l, false)
	n := nodeOf(p)
	depth := l.Depth
	if depth <= 0 || depth > maxPly-4 {
		depth = maxPly - 4
	}
	// The other workers search the same position. Every second one starts a ply deeper, so
	// that they search different parts of the tree.
	s.others(func(w *worker, i int) {
		r := w.rootMoves(n)
		for d := 1 + i&1; d <= depth && !w.stopped; d++ {
			w.iterate(r, d, l.AllMoves)
		}
	})
	r := w.rootMoves(n)
	var best, out Result
	for d := 1; d <= depth; d++ {
		before := r.order[0]
		complete := w.iterate(r, d, l.AllMoves)
		if !complete && d > 1 {
			break
		}
		unsure := d > 1 && (r.order[0] != before || r.moves[r.order[0]].Score < best.Moves[0].Score-unsureDrop)
		best = r.result(d, l.AllMoves, !w.stopped)
		if out = w.export(p, n, best); l.Report != nil {
			l.Report(out)
		}
		if w.stopped || best.settled || len(r.list) == 1 && !l.AllMoves || l.enough(time.Since(start), unsure) {
			break
		}
	}
	out.Nodes = s.end()
	return out
}

// export converts a result for callers: it adds lines and sets proved scores to 1, 0 or -1.
func (w *worker) export(p wyb.Position, n node, r Result) Result {
	r.Moves = slices.Clone(r.Moves)
	for i := range r.Moves {
		m := &r.Moves[i]
		m.Line = w.line(n, m.Move, r.Depth)
		if inTime(p, m.Score) {
			m.Score, m.Proved = result(m.Score, m.Proved)
			continue
		}
		// Not proved: limit the score to the range of evaluations.
		m.Score, m.Proved = max(-mostPieces, min(m.Score, mostPieces)), false
		r.Proved = r.Proved && i > 0
	}
	return r
}

// mostPieces is the value of all pieces of a side.
const mostPieces = wyb.MaxPieces * 100

// inTime reports whether a result found from p comes before the limit of quiet turns. Nodes
// do not count quiet turns. The limit matters only if p is on the 4x4 board, because no line
// is as long as QuietLimit. There, a win within the turns left to the limit remains a win:
// a capture on the way only extends the limit.
func inTime(p wyb.Position, score int) bool {
	turns := winScore - max(score, -score)
	return p.Strict() || p.Stage() != wyb.Final || turns > winScore-decided || p.Quiet()+turns <= wyb.QuietLimit
}

// result returns the moves after an iteration, which was complete or was stopped after
// finding a better first move.
func (r *rootMoves) result(depth int, all, complete bool) Result {
	res := Result{Depth: depth, Proved: complete}
	for k, i := range r.order {
		m := r.moves[i]
		if k == 0 || all {
			res.Moves = append(res.Moves, m)
		}
		// For moves except the first, a proof that they are not better suffices.
		res.Proved = res.Proved && m.settled()
	}
	res.settled = res.Proved
	if res.Moves[0].Score > decided {
		res.Proved = true
		res.settled = res.settled || !all
	}
	return res
}

// settled reports whether more search cannot change the score.
func (m MoveScore) settled() bool { return m.Proved || m.Score > decided || m.Score < -decided }

// result converts a proved score to 1, 0 or -1. Scores beyond decided are proved, because
// no evaluation reaches them.
func result(score int, proved bool) (int, bool) {
	switch {
	case score > decided:
		return 1, true
	case score < -decided:
		return -1, true
	case proved:
		return 0, true
	}
	return score, false
}

// Solve computes the value, 1, 0 or -1, of a position that is not over, and a move that
// achieves it. It searches to the next shrink, so it can succeed only if the oracle contains
// the positions after it. ok is false if it fails or a limit comes first. Limits.Depth is
// ignored.
func (s *Searcher) Solve(ctx context.Context, p wyb.Position, l Limits) (value int, move engine.Move, nodes uint64, ok bool) {
	w := s.begin(ctx, l, true)
	n := nodeOf(p)
	depth := min(n.toShrink(), maxPly-4)
	s.others(func(w *worker, i int) {
		list := w.roots(n)
		// Each worker begins with a different move.
		k := i * len(list) / len(s.workers)
		w.solve(n, slices.Concat(list[k:], list[:k]), depth)
	})
	value, move, ok = w.solve(n, w.roots(n), depth)
	return value, move, s.end(), ok
}

// solve makes two null-window searches: whether a move wins, and if not, whether a move
// does not lose.
func (w *worker) solve(n node, list []candidate, depth int) (value int, move engine.Move, ok bool) {
	for _, bound := range [2]int{decided, -decided} {
		all := true
		for i := range list {
			v := w.child(n, &list[i], depth, 0, bound, bound+1)
			if w.stopped {
				return 0, 0, false
			}
			if v > bound && w.proved {
				if bound > 0 {
					return 1, list[i].move, true
				}
				return 0, list[i].move, true
			}
			all = all && w.proved
		}
		if !all {
			return 0, 0, false
		}
	}
	return -1, list[0].move, true
}

// line returns the best moves stored in the table, from a root move on.
func (w *worker) line(root node, m engine.Move, depth int) []engine.Move {
	var out []engine.Move
	n := root
	for range depth {
		var next *candidate
		list := w.candidates(n, maxPly-1)
		for i := range list {
			if list[i].move == m {
				next = &list[i]
			}
		}
		if next == nil {
			break
		}
		if len(out) > 0 || n != root {
			out = append(out, m)
		}
		after, _, over := n.after(next.own, next.opp)
		if over {
			break
		}
		n = after
		e, ok := w.s.table.lookup(n)
		if !ok {
			break
		}
		m = e.best()
	}
	return out
}

// Known returns the oracle's value of a position that is not over, 1, 0 or -1 for the side
// to move.
func (s *Searcher) Known(p wyb.Position) (int, bool) {
	v, ok := s.probe(nodeOf(p), 0)
	return cmp.Compare(v, 0), ok
}
