// Package exact computes the exact value of Circuit Wars positions: the squares that the side to
// move gains from now on minus those of the opponent, with best play by both.
//
// A [Solver] searches with [Options]. A position is a multiset of component types (package graph),
// so boards, places and symmetries are factored out before the search. The files:
//
//   - position.go: multisets of types, and their change by a move.
//   - componenttypes.go: the store of types and their moves, one per thread. trace.go saves
//     most of the labelling.
//   - simplify.go: replacement of types by simpler ones that are interchangeable in every
//     sum (rules.txt), and cancellation of pairs.
//   - bounds.go: static bounds by comparison with sums of hot components.
//   - threats.go: static bounds of quiet moves that allow a capture.
//   - order.go: the moves of a position, their bounds and order.
//   - proofnumbers.go: df-pn at the first plies.
//   - search.go: null-window search with the mirror theorem (package graph).
//   - table.go: the entries of the transposition table, which all threads share.
//   - solver.go, moves.go, learn.go: the exported methods. The value is narrowed in steps of 2
//     ([solver.Bounds.Narrow]), because it has the parity of the squares left.
//
// The bounds of a result are proved even if the solve was interrupted. Every pruning is proved in
// the file that applies it and can be disabled. If a type store is full, it is emptied and the
// search restarts with the transposition table kept.
//
// data/results/tried-circuitwars.md lists what was tried.
package exact

import (
	"context"
	"fmt"
	"sync/atomic"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// Options configure a solver.
type Options struct {
	// Threads is the number of search threads; 0 means one. With one thread, node counts of a new
	// or cleared solver are reproducible.
	Threads int
	// TableBytes is the size of the transposition table; 0 means 256 MiB.
	TableBytes int64
	// TypeBytes is the approximate memory for component types per thread; 0 means 192 MiB.
	TypeBytes int64

	// NodeLimit ends each search after about this number of nodes per thread; 0 means no limit.
	NodeLimit uint64

	// Record, if not nil, is called with positions that took at least RecordNodes nodes,
	// concurrently by all search threads; see learn.go.
	Record      func(Proved)
	RecordNodes uint64
	// Searched, if not nil, is called by each search thread after every n nodes of a search,
	// concurrently. n is a few hundred.
	Searched func(n uint64)

	// Each of these disables one technique, for tests and measurements.
	NoTable  bool // transposition table
	NoBounds bool // static bounds
	NoPairs  bool // cancellation of equal pairs
	NoReduce bool // simplification in sums
	NoMirror bool // mirror theorem
	NoProof  bool // proof-number search

	// SecondOrder changes the order of the moves of a component with equal static bounds.
	SecondOrder bool

	// proofEdges and proofTry are set to the constants with these names.
	proofEdges int
	proofTry   uint64
}

const (
	bytesPerType  = 1100
	maxPlies      = grid.MaxSegments + 2
	positionBytes = 64 // of a small table per possible position: a bucket
)

// Solver solves positions. It keeps its transposition table between calls, until a larger position
// needs a larger one. It is not safe for concurrent use, except Status.
type Solver struct {
	opt     Options
	shared  shared
	workers []*worker

	tableBytes, typesEach int64 // size of the allocated table, number of types per thread

	rules   *ruleBook
	labeler graph.Labeler
}

// New returns a solver.
func New(opt Options) *Solver {
	opt.Threads = max(opt.Threads, 1)
	if opt.TableBytes <= 0 {
		opt.TableBytes = 256 << 20
	}
	if opt.TypeBytes <= 0 {
		opt.TypeBytes = 192 << 20
	}
	opt.proofEdges, opt.proofTry = proofEdges, proofTry
	s := &Solver{opt: opt}
	s.shared.opt, s.shared.active = &s.opt, opt.Threads
	s.rules = newRuleBook(&s.opt)
	return s
}

// Use limits the following solves to a number of threads, from one to Options.Threads.
func (s *Solver) Use(threads int) { s.shared.active = max(min(threads, s.opt.Threads), 1) }

// Clear empties the transposition table and the type stores, for reproducible node counts.
func (s *Solver) Clear() {
	if s.shared.table != nil {
		s.shared.table.Clear()
	}
	for _, w := range s.workers {
		w.types.reset()
	}
}

// prepare allocates memory for positions with at most that number of free segments, unless there is
// enough. New memory replaces the table and the types.
func (s *Solver) prepare(segments int) {
	sets := int64(1) << min(segments, 40) // upper bound of the number of positions
	table := min(s.opt.TableBytes, sets*positionBytes)
	types := max(min(s.opt.TypeBytes/bytesPerType, sets), 4096)
	if table <= s.tableBytes && types <= s.typesEach {
		return
	}
	s.tableBytes, s.typesEach = table, types
	s.shared.table = tt.New(table)
	s.shared.live.Store(s.shared.table)
	s.workers = nil
	for range s.opt.Threads {
		w := &worker{
			shared: &s.shared,
			types:  newStore(int(types), s.rules),
			plies:  make([]ply, maxPlies),
		}
		w.types.second = s.opt.SecondOrder
		s.workers = append(s.workers, w)
	}
}

// Value computes the value of the position with the given free segments for the side to move. If
// the context ends first, the result contains the bounds proved so far; this is no error. The only
// errors are those of [graph.Components].
func (s *Solver) Value(ctx context.Context, b *grid.Board, free grid.Set) (solver.Result, error) {
	parts, err := s.begin(b, free)
	if err != nil {
		return solver.Result{}, err
	}
	return s.value(ctx, parts), nil
}

// AtLeast tests whether the value is at least need. The result has Lower >= need or Upper < need
// unless the context or Options.NodeLimit ends the search. Errors are as for Value.
func (s *Solver) AtLeast(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.Result, error) {
	parts, err := s.begin(b, free)
	if err != nil {
		return solver.Result{}, err
	}
	return s.atLeast(ctx, parts, need), nil
}

// begin prepares memory and table for value and atLeast, and returns the components of a position.
func (s *Solver) begin(b *grid.Board, free grid.Set) ([]graph.Component, error) {
	parts, err := graph.Components(b, free)
	if err != nil {
		return nil, fmt.Errorf("solve: %w", err)
	}
	s.prepare(free.Len())
	s.shared.table.NextSearch()
	return parts, nil
}

func (s *Solver) value(ctx context.Context, parts []graph.Component) solver.Result {
	return s.run(ctx, parts, (*worker).narrow)
}

func (s *Solver) atLeast(ctx context.Context, parts []graph.Component, need int) solver.Result {
	return s.run(ctx, parts, func(w *worker, b solver.Bounds) solver.Bounds { return w.test(b, need) })
}

// task tightens proved bounds of the worker's root position.
type task func(*worker, solver.Bounds) solver.Bounds

// run performs a task in all active threads until one finishes or ctx ends, and combines the bounds.
func (s *Solver) run(ctx context.Context, parts []graph.Component, do task) solver.Result {
	// A delayed call of AfterFunc for an earlier context must not end this run.
	stop := new(atomic.Bool)
	s.shared.stop = stop
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	if ctx.Err() != nil {
		stop.Store(true)
	}

	b := trivialBounds(parts)
	s.shared.lower.Store(int32(b.Lower))
	s.shared.upper.Store(int32(b.Upper))
	s.shared.nodes.Store(0)
	workers := s.workers[:s.shared.active]
	proved := make([]solver.Bounds, len(workers))
	var group solver.Threads
	for i, w := range workers {
		w.nodes = 0
		w.types.stop = stop
		solve := func() {
			defer stop.Store(true) // also after a panic
			proved[i] = w.solve(parts, b, do)
		}
		if len(workers) == 1 {
			solve()
		} else {
			group.Go(solve)
		}
	}
	group.Wait()
	out := solver.Result{Bounds: proved[0]}
	for i, b := range proved {
		out.Lower, out.Upper = max(out.Lower, b.Lower), min(out.Upper, b.Upper)
		out.Nodes += workers[i].nodes
	}
	return out
}

func trivialBounds(parts []graph.Component) (b solver.Bounds) {
	for _, c := range parts {
		b.Lower, b.Upper = b.Lower-len(c.Code), b.Upper+len(c.Code)
	}
	return b
}

// solve performs a task. If the type store becomes full, it empties the store and repeats the task.
func (w *worker) solve(parts []graph.Component, b solver.Bounds, do task) solver.Bounds {
	for {
		w.abort, w.over = false, false
		if w.setRoot(parts) {
			if p := &w.plies[0].pos; !w.opt.NoBounds {
				b.Lower, b.Upper = max(b.Lower, size(p.mask)-p.err), min(b.Upper, size(p.mask)+p.err)
			}
			b = do(w, b)
		}
		if !w.types.full {
			return b
		}
		w.types.reset()
		w.restarts++
	}
}

// setRoot sets the position at depth 0. It returns false if the type store is full.
func (w *worker) setRoot(parts []graph.Component) bool {
	pos := &w.plies[0].pos
	*pos = position{types: pos.types[:0]}
	var list []typeID
	for _, c := range parts {
		if !w.types.room() {
			return false
		}
		code := w.types.labeler.Label(c.Code)
		id := w.types.intern(code, w.types.labeler.Tied())
		w.types.placeRoot(id, c.Vertices)
		list = w.types.appendReduced(list[:0], id)
		for _, id := range list {
			if int(w.types.types[id].edges) <= w.types.eager && !w.types.expandType(id) {
				return false
			}
			pos.add(w.types, id)
		}
	}
	pos.measure(w.types)
	return true
}

// narrow is the task that tightens the bounds to the value, unless w aborts, and shows them to Status.
func (w *worker) narrow(b solver.Bounds) solver.Bounds {
	show := func(b solver.Bounds) bool {
		w.lower.Store(max(w.lower.Load(), int32(b.Lower)))
		w.upper.Store(min(w.upper.Load(), int32(b.Upper)))
		return w.abort
	}
	b = b.Narrow(w.estimate(), func(beta int) (int, bool) {
		v := w.decide(beta)
		return v, !w.abort
	}, show)
	show(b)
	return b
}

// estimate returns the middle of the root's static bounds, with the parity of the value.
func (w *worker) estimate() int {
	pos := &w.plies[0].pos
	v := size(pos.mask)
	return v + (v^pos.squares)&1
}

// test is the task that decides whether the value is at least need.
func (w *worker) test(b solver.Bounds, need int) solver.Bounds {
	need += (need ^ w.plies[0].pos.squares) & 1 // parity
	if need <= b.Lower || need > b.Upper {
		return b
	}
	w.proving = true
	defer func() { w.proving = false }()
	v := w.decide(need)
	switch {
	case w.abort:
	case v >= need:
		b.Lower = max(b.Lower, v)
	default:
		b.Upper = min(b.Upper, v)
	}
	return b
}
