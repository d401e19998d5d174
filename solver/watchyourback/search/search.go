// Package search is the heuristic search of Watch Your Back. [Searcher.Search] evaluates a position
// within [Limits]. [Searcher.Solve] proves the value of a position a few turns before a shrink. An
// [Oracle] supplies exact values of positions on the 6x6 and 4x4 boards.
//
// # Search
//
// Search deepens alpha-beta iteratively (worker.go), with a transposition table (table.go) and a
// static evaluation (evaluate.go). Every turn is a ply, also a turn without a legal move. A line is
// extended if it would end shortly before a shrink (node.go) or during an exchange (quiet.go). Late
// moves are searched to a smaller depth. Threads share the table (lazy SMP).
//
// # Proofs
//
// A win or loss that the search finds is proved: all lines end in a finished game or in a position
// of the Oracle, no legal move is omitted, and the keys of the transposition table are complete
// positions. The only exception is the rule that ends the game after a number of quiet turns
// (inTime). A tie is proved if no static evaluation has contributed to it. Others are estimates.
//
// data/results/tried-watchyourback.md describes rejected variants.
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

// Oracle contains exact values of positions on the 6x6 and 4x4 boards: 1 for a win of the side to
// move, 0 for a tie, -1 for a loss. ok is false if it has no value. It is called concurrently.
type Oracle interface {
	// Final is for the 4x4 board. own are the pieces of the side to move. distance is the number of
	// turns to the end of the game, if it is not a tie.
	Final(own, opp uint64) (value, distance int, ok bool)
	// Middle is for the 6x6 board; turns is the number of turns left before the second shrink.
	Middle(own, opp uint64, turns int) (value int, ok bool)
}

// Limits are the options of a search. The zero value of a limit means no limit.
type Limits struct {
	Deadline time.Time
	// Aim is the time that a search should take on average. An iteration that would probably exceed
	// Aim does not start.
	Aim   time.Duration
	Depth int    // maximum, in plies
	Nodes uint64 // maximum per thread
	// Full disables reductions.
	Full bool
	// AllMoves requests the scores of all root moves.
	AllMoves bool
	// Report, if not nil, is called after every iteration with the result, whose Nodes is 0.
	Report func(Result)
}

// MoveScore is the score of a root move.
type MoveScore struct {
	Move engine.Move
	// Score is 1, 0 or -1 if Proved, otherwise in hundredths of a piece.
	Score  int
	Proved bool
	// Line is the expected play after Move, perhaps empty.
	Line []engine.Move
}

// Result is the result of a search.
type Result struct {
	// Moves contains the best move or, with Limits.AllMoves, all moves, best first.
	Moves []MoveScore
	Depth int    // of the last iteration, in plies
	Nodes uint64 // number of nodes that the threads have counted so far
	// Proved reports whether the score of Moves[0] is the proved value of the position.
	Proved  bool
	settled bool // a deeper search cannot change the result
}

// No iteration starts after enoughPart of Limits.Aim, except if the best move is new or its score
// has dropped by more than unsureDrop hundredths of a piece.
const (
	enoughPart = 0.5
	unsureDrop = 40
)

// Searcher searches with one or more threads. It keeps its table. It is not safe for concurrent use.
type Searcher struct {
	// Evaluation contains the weights. It may be replaced only before the first search.
	Evaluation Evaluation

	oracle  Oracle // nil for none
	table   *table
	workers []*worker
	// running contains the goroutines of the last search that have not yet ended.
	running solver.Threads
	ctx     context.Context
	limits  Limits
	stop    atomic.Bool
	nodes   atomic.Uint64 // counted by all workers
}

// New returns a searcher with the given number of threads, at least one, and a transposition table
// of at most tableBytes bytes, but at least 24 KiB. oracle can be nil.
func New(tableBytes int64, threads int, oracle Oracle) *Searcher {
	s := &Searcher{Evaluation: DefaultEvaluation, oracle: oracle, table: newTable(tableBytes)}
	for range max(1, threads) {
		s.workers = append(s.workers, &worker{s: s})
	}
	return s
}

// begin waits for the goroutines of the last search, prepares all workers and returns the first one,
// which the caller runs. The caller must call end.
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

// runOthers calls f for all workers except the first, with their indexes, each in its own goroutine.
func (s *Searcher) runOthers(f func(w *worker, i int)) {
	for i, w := range s.workers[1:] {
		s.running.Go(func() {
			f(w, i+1)
			w.checkLimits()
		})
	}
}

// end stops the workers, without waiting for them, and returns the number of nodes counted so far.
func (s *Searcher) end() uint64 {
	s.workers[0].checkLimits()
	s.stop.Store(true)
	return s.nodes.Load()
}

// sortedCandidates returns the legal moves of n, captures first.
func (w *worker) sortedCandidates(n node) []candidate {
	list := slices.Clone(w.candidates(n, 0))
	slices.SortStableFunc(list, func(a, b candidate) int { return int(b.order - a.order) })
	return list
}

type rootMoves struct {
	node  node
	list  []candidate
	moves []MoveScore // latest scores, by index of list
	order []int       // indices of list, best first
}

func (w *worker) rootMoves(n node) *rootMoves {
	r := &rootMoves{node: n, list: w.sortedCandidates(n)}
	r.moves, r.order = make([]MoveScore, len(r.list)), make([]int, len(r.list))
	for i := range r.order {
		r.order[i] = i
	}
	return r
}

// Search evaluates a position that is not over. It always completes depth 1. It ends when a limit
// of l is reached, ctx ends, a deeper search cannot change the result, or, without l.AllMoves, only
// one move is legal.
func (s *Searcher) Search(ctx context.Context, p wyb.Position, l Limits) Result {
	start := time.Now()
	w := s.begin(ctx, l, false)
	n := nodeOf(p)
	depth := min(cmp.Or(l.Depth, maxDepth), maxDepth)
	// Every second worker starts at depth 2.
	s.runOthers(func(w *worker, i int) {
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
		top := r.order[0]
		unsure := d > 1 && (top != before || r.moves[top].Score < best.Moves[0].Score-unsureDrop)
		best = r.result(d, l.AllMoves, !w.stopped)
		if out = w.export(p, n, best); l.Report != nil {
			l.Report(out)
		}
		forced := len(r.list) == 1 && !l.AllMoves
		enough := l.Aim > 0 && !unsure && time.Since(start) > time.Duration(enoughPart*float64(l.Aim))
		if w.stopped || best.settled || forced || enough {
			break
		}
	}
	out.Nodes = s.end()
	return out
}

// export converts a result of rootMoves.result for p, whose node is n, to the result of Search: it
// sets the lines and converts the scores. Wins and losses that are not inTime become estimates.
func (w *worker) export(p wyb.Position, n node, r Result) Result {
	r.Moves = slices.Clone(r.Moves)
	for i := range r.Moves {
		m := &r.Moves[i]
		m.Line = w.line(n, m.Move, r.Depth)
		if inTime(p, m.Score) {
			m.Score, m.Proved = exported(m.Score, m.Proved)
			continue
		}
		m.Score, m.Proved = max(-mostPieces, min(m.Score, mostPieces)), false
		r.Proved = r.Proved && i > 0
	}
	return r
}

const mostPieces = wyb.MaxPieces * 100 // in hundredths of a piece

// inTime reports whether a score of p is valid under the rule that the game is a tie after
// QuietLimit turns without a capture (quiet turns). Nodes do not count quiet turns. The rule can
// only change a win or loss on the 4x4 board, and only if the game would last longer than the turns
// left before the limit; a capture would only postpone the limit. A strict position has no limit.
func inTime(p wyb.Position, score int) bool {
	if p.Strict() || p.Stage() != wyb.Final {
		return true
	}
	turns := winScore - max(score, -score) // to the end of the game, if the score is decided
	return turns > winScore-decided || p.Quiet()+turns <= wyb.QuietLimit
}

// result returns the result of an iteration to a depth, with scores as in the search. complete reports
// whether all moves were searched to this depth.
func (r *rootMoves) result(depth int, all, complete bool) Result {
	res := Result{Depth: depth, Proved: complete}
	for k, i := range r.order {
		m := r.moves[i]
		if k == 0 || all {
			res.Moves = append(res.Moves, m)
		}
		// The scores of moves after the first may be upper bounds.
		res.Proved = res.Proved && m.settled()
	}
	res.settled = res.Proved
	if res.Moves[0].Score > decided { // a winning move suffices as a proof
		res.Proved = true
		res.settled = res.settled || !all
	}
	return res
}

// settled reports whether a deeper search cannot change the score.
func (m MoveScore) settled() bool { return m.Proved || m.Score > decided || m.Score < -decided }

// exported returns the fields of a MoveScore for a score in the search; proved is worker.proved.
func exported(score int, proved bool) (value int, isProved bool) {
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

// Solve computes the value of a position that is not over, 1, 0 or -1, and a move that achieves it.
// The board must not be 4x4. Solve searches to the next shrink. ok is false if the oracle lacks a
// position that is needed, the shrink is too far, l.Deadline or l.Nodes is reached or ctx ends.
func (s *Searcher) Solve(
	ctx context.Context, p wyb.Position, l Limits,
) (value int, move engine.Move, nodes uint64, ok bool) {
	w := s.begin(ctx, l, true)
	n := nodeOf(p)
	depth := min(n.toShrink(), maxDepth)
	s.runOthers(func(w *worker, i int) {
		list := w.sortedCandidates(n)
		k := i * len(list) / len(s.workers)
		w.solve(n, slices.Concat(list[k:], list[:k]), depth)
	})
	value, move, ok = w.solve(n, w.sortedCandidates(n), depth)
	return value, move, s.end(), ok
}

// solve makes two null-window searches of the moves of list, all moves of n: the first finds a move
// that wins, the second a move that does not lose. ok is false if the value is not proved.
func (w *worker) solve(n node, list []candidate, depth int) (value int, move engine.Move, ok bool) {
	for _, bound := range [2]int{decided, -decided} {
		all := true // it is proved that no move exceeds bound
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

// line returns the expected play after move m of n: up to depth-1 best moves from the table.
func (w *worker) line(n node, m engine.Move, depth int) []engine.Move {
	var out []engine.Move
	for i := range depth {
		list := w.candidates(n, 0)
		k := slices.IndexFunc(list, func(c candidate) bool { return c.move == m })
		if k < 0 { // no move stored, or one of another position
			break
		}
		if i > 0 {
			out = append(out, m)
		}
		after, _, over := n.after(list[k].own, list[k].opp)
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

// Known returns the oracle's value of a position that is not over, 1, 0 or -1 for the side to move.
func (s *Searcher) Known(p wyb.Position) (value int, ok bool) {
	v, ok := s.probe(nodeOf(p), 0)
	return cmp.Compare(v, 0), ok
}
