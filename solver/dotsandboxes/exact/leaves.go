package exact

import (
	"sync/atomic"
	"time"

	"endwise/engine/grid"
	"endwise/solver"
)

// Budgets of searches, in expansions.
const (
	valueBudget  = 20_000
	winnerBudget = 2_000
)

// Effort selects how much [Leaves.Value] computes.
type Effort int

const (
	LookUp  Effort = iota
	WhoWins        // search until the winner or a tie is proved
	WholeValue
)

// Leaves evaluates the leaves of one heuristic search, by one goroutine at a time.
type Leaves struct {
	s        *Solver
	stop     *atomic.Bool
	deadline time.Time
	w        *worker
}

// Leaves returns an evaluator. Its searches end if stop is set; they set stop themselves if the
// deadline has passed. The zero deadline means none. The caller must call End.
func (s *Solver) Leaves(stop *atomic.Bool, deadline time.Time) *Leaves {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &Leaves{s: s, stop: stop, deadline: deadline}
	if n := len(s.workers); n > 0 {
		l.w, s.workers = s.workers[n-1], s.workers[:n-1]
	} else {
		l.w = newWorker(nil, s.table, s.options)
	}
	l.w.prepare(l.w.g, stop, deadline, nil)
	return l
}

// End releases the evaluator, which must not be used any more, and returns its number of expansions.
func (l *Leaves) End() (expansions uint64) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.workers = append(l.s.workers, l.w)
	return l.w.expansions
}

// Value evaluates an R-type position for the side to move; tie is the value with which the game is
// a tie. If ok is set, v is proved: it is the value, a lower bound above tie, or an upper bound
// below tie. Otherwise v is an estimate, 0 if the position is too large for the solver.
func (l *Leaves) Value(board *grid.Board, free grid.Set, tie int, e Effort) (v int, ok bool) {
	g, err := l.s.boardGraph(board, free)
	if err != nil {
		return 0, false
	}
	w := l.w
	before := w.expansions // prepare resets them
	w.prepare(g, l.stop, l.deadline, nil)
	mask := g.Mask(free)
	boxes := g.boxesIn(mask)
	n := w.node(mask, boxes)
	var b solver.Bounds
	b.Lower, b.Upper = w.table.Probe(n.key.Hi, n.key.Lo, -boxes, boxes)
	proved := func(b solver.Bounds) bool { return b.Lower > tie || b.Upper < tie || b.Exact() }
	if e != LookUp {
		w.budget = valueBudget
		var done func(solver.Bounds) bool
		if e == WhoWins {
			w.budget, done = winnerBudget, proved
		}
		b = b.Narrow(tie+(tie+boxes)&1, func(t int) (int, bool) {
			v := w.atLeast(0, n, t, false)
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
	return v, proved(b)
}
