package search

import (
	"slices"
	"time"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
	"endwise/solver"
)

type worker struct {
	s       *Searcher
	nodes   uint64
	counted uint64 // the part of nodes that s.nodes contains
	stopped bool   // a limit is reached; scores have no meaning
	proving bool   // during Solve: no static evaluations
	// proved reports whether the last score returned by negamax, child or quiet is proved, as a
	// value or, outside the window, as a bound. A win or loss is always proved. Any other score is
	// proved if the scores of all moves are, or if that of one move is and is at or above beta.
	proved  bool
	killers [maxPly][2]engine.Move // the last two quiet moves that caused a cutoff, by ply
	history [2][1 << 13]int32      // weighted cutoffs by quiet moves, by side and move
	buffers [maxPly][]candidate    // for candidates and captures, by ply
}

const (
	maxPly   = 96         // maximum distance from the root
	maxDepth = maxPly - 4 // leaves room for extensions
)

// Late move reductions. A move without a capture is searched one ply less deep if its index is at
// least lateMove and the depth at least lateDepth, and two plies with veryLateMove and
// veryLateDepth.
const (
	lateMove, lateDepth         = 4, 3
	veryLateMove, veryLateDepth = 12, 5
)

// begin prepares w for a search. The history of earlier searches counts an eighth.
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

// iterate searches the root to a depth, and updates r.moves and r.order. usable reports whether all
// moves have been searched or, if all is not set, at least the first. Depth 1 is always completed.
func (w *worker) iterate(r *rootMoves, depth int, all bool) (usable bool) {
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
		if w.stopped { // the score may be invalid: search again, now without extensions
			v = w.child(r.node, c, depth, 0, -infinity, infinity)
		}
		moves[i] = MoveScore{Move: c.move, Score: v, Proved: w.proved}
		if v > alpha {
			alpha = v
			copy(order[1:k+1], order[:k])
			order[0] = i
		}
		done = k + 1
	}
	if all && done == len(order) {
		slices.SortStableFunc(order, func(a, b int) int { return moves[b].Score - moves[a].Score })
	}
	// The first move was the last iteration's best, so the best so far is at least as good.
	return done == len(order) || !all && done > 0
}

// child searches the position after move c of n and returns the score for the side to move in n.
// depth and ply are those of n. It sets w.proved.
func (w *worker) child(n node, c *candidate, depth, ply, alpha, beta int) int {
	m, value, over := n.after(c.own, c.opp)
	w.proved = true
	if over {
		return value * (winScore - ply - 1)
	}
	return -w.negamax(m, depth-1, ply+1, -beta, -alpha)
}

// probe returns the oracle's value of n, at distance ply from the root, as a score.
func (s *Searcher) probe(n node, ply int) (score int, ok bool) {
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

// negamax returns the score of n, at distance ply, by fail-soft alpha-beta, and sets w.proved.
func (w *worker) negamax(n node, depth, ply, alpha, beta int) int {
	w.nodes++
	if w.nodes&1023 == 0 || w.s.limits.Nodes > 0 && w.nodes >= w.s.limits.Nodes {
		w.checkLimits()
	}
	if w.stopped && ply > 1 {
		w.proved = false
		return 0
	}
	if v, ok := w.s.probe(n, ply); ok {
		w.proved = true
		return v
	}
	if depth <= 0 && n.extends() && !w.stopped {
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
		isProved := e.depth() == provedDepth
		if isProved || e.depth() >= depth && !w.proving {
			if v, ok := e.decides(ply, alpha, beta); ok {
				w.proved = isProved
				return v
			}
		}
	}
	return w.searchMoves(n, depth, ply, alpha, beta, hashMove)
}

// decides returns the score of the entry for a node at ply; ok reports whether it suffices.
func (e entry) decides(ply, alpha, beta int) (v int, ok bool) {
	v = fromTable(e.score(), ply)
	switch e.bound() {
	case exact:
		return v, true
	case lower:
		return v, v >= beta
	}
	return v, v <= alpha
}

// searchMoves is negamax for a node at which neither the oracle nor the table decides. hashMove is
// the move to search first, -1 for none.
func (w *worker) searchMoves(n node, depth, ply, alpha, beta int, hashMove engine.Move) int {
	list := w.candidates(n, ply)
	w.prioritize(list, n, ply, hashMove)
	best, bestMove, floor, proved := -infinity, engine.Move(0), alpha, true
	for i := range list {
		c := pick(list, i)
		v := w.searchMove(n, c, i, depth, ply, alpha, beta)
		if w.stopped {
			w.proved = false
			return 0
		}
		proved = proved && w.proved
		if v > best {
			best, bestMove = v, c.move
		}
		alpha = max(alpha, v)
		if alpha >= beta {
			proved = w.proved
			if c.opp == n.opp {
				w.recordCutoff(n, c.move, depth, ply)
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
	// A win needs one move, and in a loss all moves lose: both are proved after reductions too.
	proved = proved || best > decided || best < -decided
	if w.proved = proved; proved {
		depth = provedDepth
	}
	w.s.table.store(n, newEntry(n, bestMove, bound, toTable(best, ply), depth))
	return best
}

// searchMove is child for candidate i in the order of the search. All except the first are searched
// with a null window, late ones also less deep, and again if they exceed alpha.
func (w *worker) searchMove(n node, c *candidate, i, depth, ply, alpha, beta int) int {
	if i == 0 {
		return w.child(n, c, depth, ply, alpha, beta)
	}
	less := 0
	if c.opp == n.opp {
		less = w.reduction(i, depth)
	}
	v := w.child(n, c, depth-less, ply, alpha, alpha+1)
	if v > alpha && less > 0 && !w.stopped {
		v = w.child(n, c, depth, ply, alpha, alpha+1)
	}
	if v > alpha && v < beta {
		v = w.child(n, c, depth, ply, alpha, beta)
	}
	return v
}

// prioritize orders the candidates of n: hashMove first. Of moves that leave the same difference of
// pieces, the killers come first, then the others by their history.
func (w *worker) prioritize(list []candidate, n node, ply int, hashMove engine.Move) {
	killers, history := &w.killers[ply], &w.history[n.turns&1]
	for i := range list {
		c := &list[i]
		switch c.move {
		case hashMove:
			c.order = 1 << 30
		case killers[0]:
			c.order += pieceOrder/2 + 1
		case killers[1]:
			c.order += pieceOrder / 2
		default:
			c.order += history[c.move&8191]
		}
	}
}

// recordCutoff adds a quiet move that caused a cutoff at n to the killers and the history.
func (w *worker) recordCutoff(n node, m engine.Move, depth, ply int) {
	if killers := &w.killers[ply]; killers[0] != m {
		killers[1], killers[0] = killers[0], m
	}
	history := &w.history[n.turns&1]
	h := &history[m&8191]
	if *h += int32(depth * depth); *h > 400_000 {
		for j := range history {
			history[j] /= 2
		}
	}
}

// reduction returns the number of plies by which candidate i without a capture is searched less deep.
func (w *worker) reduction(i, depth int) int {
	switch {
	case w.proving || w.s.limits.Full || i < lateMove || depth < lateDepth:
		return 0
	case i >= veryLateMove && depth >= veryLateDepth:
		return 2
	}
	return 1
}

// toTable makes a win or loss relative to the node at ply; fromTable is its inverse.
func toTable(v, ply int) int {
	switch {
	case v > decided:
		return v + ply
	case v < -decided:
		return v - ply
	}
	return v
}

func fromTable(v, ply int) int { return -toTable(-v, -ply) }

// checkLimits adds the worker's nodes to the Searcher's, and sets stopped if the worker must stop.
func (w *worker) checkLimits() {
	s := w.s
	solver.Yield()
	s.nodes.Add(w.nodes - w.counted)
	w.counted = w.nodes
	limit, deadline := s.limits.Nodes, s.limits.Deadline
	expired := !deadline.IsZero() && !time.Now().Before(deadline)
	if expired || s.stop.Load() || s.ctx.Err() != nil || limit > 0 && w.nodes >= limit {
		w.stopped = true
	}
}
