package exact

import (
	"sync/atomic"
	"time"

	"endwise/engine/grid"
	"endwise/solver"
)

const (
	// leafExpansions bounds the solve of a leaf without quiet lines, quietExpansions
	// the question who wins one that has some.
	leafExpansions  = 20_000
	quietExpansions = 2_000
)

// Effort is how much is asked of a leaf.
type Effort int

const (
	LookUp     Effort = iota // what the table says
	WhoWins                  // whether its value is more than a tie, or less
	WholeValue               // its value
)

// Leaves solves small positions for one tree of a live search, in one goroutine.
type Leaves struct {
	s        *Solver
	stop     *atomic.Bool
	deadline time.Time
	w        *worker
}

// Leaves begins to solve leaves, until stop is set or the deadline, if it is not zero,
// has passed. The caller must call End.
func (s *Solver) Leaves(stop *atomic.Bool, deadline time.Time) *Leaves {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &Leaves{s: s, stop: stop, deadline: deadline}
	if n := len(s.workers); n > 0 {
		l.w, s.workers = s.workers[n-1], s.workers[:n-1]
	} else {
		l.w = newWorker(nil, s.table, 0)
	}
	l.w.prepare(l.w.g, stop, deadline, nil)
	return l
}

// End ends the solving of leaves, and says how many positions were expanded.
func (l *Leaves) End() (expansions uint64) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.workers = append(l.s.workers, l.w)
	return l.w.expansions
}

// Value is the value of an R-type position, or where e asks for no more or the value
// takes too many expansions a bound of it, with ok if that says whether the value is
// more than a tie's, or less.
func (l *Leaves) Value(board *grid.Board, free grid.Set, tie int, e Effort) (v int, ok bool) {
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
	b.Lower, b.Upper = w.table.Probe(key.Hi, key.Lo, -boxes, boxes)
	told := func(b solver.Bounds) bool { return b.Lower > tie || b.Upper < tie || b.Exact() }
	if e != LookUp {
		w.budget = leafExpansions
		var done func(solver.Bounds) bool
		if e == WhoWins {
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
