package search

import (
	"slices"
	"time"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
	"endwise/solver"
)

// worker is one thread of a search. Workers share the table and the limits; each has its
// own killers, history and proof state.
type worker struct {
	s       *Searcher
	nodes   uint64
	counted uint64 // the part of nodes included in the Searcher's count
	stopped bool
	proving bool // during Solve, which does not use estimates
	// proved reports whether the value last returned by negamax follows from results
	// alone; if the value is a bound, whether the bound is proved. A cutoff is proved by
	// one proved move, everything else by all moves.
	proved  bool
	killers [maxPly][2]engine.Move
	history [2][1 << 13]int32
	buffers [maxPly][]candidate
}

const maxPly = 96

// Late move reductions: moves that capture nothing are searched one ply less deep from index
// lateMove on, two from veryLateMove on. If such a move appears better, it is searched again
// at full depth. This does not affect proofs: a result at the end of a line holds at any
// depth.
const (
	lateMove, lateDepth         = 4, 3
	veryLateMove, veryLateDepth = 12, 5
)

// begin resets the killers and reduces the history of the last search.
func (w *worker) begin(proving bool) {
	w.nodes, w.counted, w.stopped, w.proving = 0, 0, false, proving
	for i := range w.killers {
		w.killers[i] = [2]engine.Move{-1, -1}
	}
	for i := range w.history {
		for j := range w.history[i] {
			w.history[i][j] /= 8
		}
	}
}

// iterate searches the root to a depth and sorts order, best first. It returns false if it
// was stopped without a usable result: with all, before it was complete; otherwise before
// the first move was searched.
func (w *worker) iterate(r *rootMoves, depth int, all bool) bool {
	alpha, order, moves := -infinity, r.order, r.moves
	done := 0
	for k, i := range order {
		c := &r.list[i]
		var v int
		if all || k == 0 {
			v = w.child(r.node, c, depth, 0, -infinity, infinity)
		} else {
			v = w.child(r.node, c, depth, 0, alpha, alpha+1)
			if v > alpha && !w.stopped {
				v = w.child(r.node, c, depth, 0, alpha, infinity)
			}
		}
		if w.stopped && depth > 1 {
			break
		}
		moves[i] = MoveScore{Move: c.move, Score: v, Proved: w.proved}
		if v > alpha {
			alpha = v
			// Move it to the front; the others keep their order.
			copy(order[1:k+1], order[:k])
			order[0] = i
		}
		done = k + 1
	}
	if all && done == len(order) {
		slices.SortStableFunc(order, func(a, b int) int { return moves[b].Score - moves[a].Score })
	}
	// After the previous best move has been searched again, the result so far is at least as
	// good as the previous one.
	return done == len(order) || !all && done > 0
}

// child returns the value for the mover of n after a candidate.
func (w *worker) child(n node, c *candidate, depth, ply, alpha, beta int) int {
	m, value, over := n.after(c.own, c.opp)
	w.proved = true
	if over {
		return value * (winScore - ply - 1)
	}
	return -w.negamax(m, depth-1, ply+1, -beta, -alpha)
}

// probe returns the oracle's value as a score.
func (s *Searcher) probe(n node, ply int) (int, bool) {
	if s.oracle == nil || !n.moving || n.stage == wyb.Full {
		return 0, false
	}
	if n.stage == wyb.Final {
		v, d, ok := s.oracle.Final(n.own, n.opp)
		return v * (winScore - ply - d), ok
	}
	v, ok := s.oracle.Middle(n.own, n.opp, n.toShrink())
	return v * (tableScore - ply), ok
}

// negamax is fail-soft alpha-beta.
func (w *worker) negamax(n node, depth, ply, alpha, beta int) int {
	w.nodes++
	if w.nodes&1023 == 0 || w.s.limits.Nodes > 0 && w.nodes >= w.s.limits.Nodes {
		w.checkLimits()
	}
	if w.stopped && ply > 1 {
		return 0
	}
	if v, ok := w.s.probe(n, ply); ok {
		w.proved = true
		return v
	}
	if depth <= 0 && n.extends() {
		depth = 1
	}
	if depth <= 0 || ply >= maxPly-1 {
		if w.proving {
			w.proved = false
			return 0
		}
		return w.quiet(n, ply, alpha, beta)
	}
	hashMove := engine.Move(-1)
	if e, ok := w.s.table.lookup(n); ok {
		hashMove = e.best()
		v, b := fromTable(e.score(), ply), e.bound()
		if e.depth() == provedDepth || e.depth() >= depth && !w.proving {
			if b == exact || b == lower && v >= beta || b == upper && v <= alpha {
				w.proved = e.depth() == provedDepth
				return v
			}
		}
	}
	list := w.candidates(n, ply)
	me := n.turns & 1
	for i := range list {
		c := &list[i]
		switch c.move {
		case hashMove:
			c.order = 1 << 30
		case w.killers[ply][0]:
			c.order += 500_001
		case w.killers[ply][1]:
			c.order += 500_000
		default:
			c.order += w.history[me][c.move&8191]
		}
	}
	best, bestMove, floor, proved := -infinity, engine.Move(0), alpha, true
	for i := range list {
		c := pick(list, i)
		var v int
		if i == 0 {
			v = w.child(n, c, depth, ply, alpha, beta)
		} else {
			less := 0
			if c.opp == n.opp {
				less = w.reduction(i, depth)
			}
			v = w.child(n, c, depth-less, ply, alpha, alpha+1)
			if v > alpha && less > 0 && !w.stopped {
				v = w.child(n, c, depth, ply, alpha, alpha+1)
			}
			if v > alpha && v < beta {
				v = w.child(n, c, depth, ply, alpha, beta)
			}
		}
		if w.stopped {
			return 0
		}
		proved = proved && w.proved
		if v > best {
			best, bestMove = v, c.move
		}
		alpha = max(alpha, v)
		if alpha >= beta {
			proved = w.proved
			if c.opp == n.opp { // no capture
				if w.killers[ply][0] != c.move {
					w.killers[ply][1], w.killers[ply][0] = w.killers[ply][0], c.move
				}
				h := &w.history[me][c.move&8191]
				if *h += int32(depth * depth); *h > 400_000 {
					for j := range w.history[me] {
						w.history[me][j] /= 2
					}
				}
			}
			break
		}
	}
	bound := exact
	switch {
	case best <= floor:
		bound = upper
	case best >= beta:
		bound = lower
	}
	// Scores beyond decided are results, whatever else was searched.
	proved = proved || best > decided || best < -decided
	if w.proved = proved; proved {
		depth = provedDepth
	}
	w.s.table.store(n, newEntry(n, bestMove, bound, toTable(best, ply), depth))
	return best
}

// reduction returns the number of plies by which the i-th move of a node is reduced.
func (w *worker) reduction(i, depth int) int {
	switch {
	case w.proving || w.s.limits.Full || i < lateMove || depth < lateDepth:
		return 0
	case i >= veryLateMove && depth >= veryLateDepth:
		return 2
	}
	return 1
}

// toTable converts a score to the distance from the node instead of the root.
func toTable(v, ply int) int {
	switch {
	case v > decided:
		return v + ply
	case v < -decided:
		return v - ply
	}
	return v
}

// fromTable is the inverse of toTable.
func fromTable(v, ply int) int { return -toTable(-v, -ply) }

// checkLimits sets stopped if the search has to end.
func (w *worker) checkLimits() {
	s := w.s
	solver.Yield()
	s.nodes.Add(w.nodes - w.counted)
	w.counted = w.nodes
	if s.stop.Load() || s.limits.Nodes > 0 && w.nodes >= s.limits.Nodes || s.ctx.Err() != nil ||
		!s.limits.Deadline.IsZero() && !time.Now().Before(s.limits.Deadline) {
		w.stopped = true
	}
}
