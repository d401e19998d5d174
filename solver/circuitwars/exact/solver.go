// Package exact works out the exact value of Circuit Wars positions: the
// squares that the side to move will still win minus those of the opponent,
// both playing their best.
//
// A position is a multiset of component types (package graph), so that boards,
// places and symmetries are factored out before the search begins. The parts, one
// file each:
//
//   - position.go: the multiset, and what a move makes of it.
//   - componenttypes.go: the store of types and their options, one for each thread.
//     Options are labelled only when the search plays them. trace.go saves most
//     of that labelling by knowing a component from where it lies.
//   - simplify.go: simplification in sums. A type that rules.txt proves
//     interchangeable with simpler ones never enters a position, and pairs that
//     cancel leave it.
//   - bounds.go: static bounds. Every component is compared with a sum of hot
//     ones whose value is known, up to an error term; the errors bound the value.
//     Small types get their best comparisons as soon as they are met, large ones
//     when they are met often.
//   - threats.go: what a quiet move threatens.
//   - order.go: the moves of a position with their bounds, and their order.
//   - search.go: the search proper, a null-window negamax, with the mirror theorem
//     (package graph) for every symmetric position. Every child is bounded before
//     any is searched: it may cut off, or be pruned. In large positions the table is
//     asked for every child as well (enhanced transposition cutoff).
//   - proofnumbers.go: win or loss, given the score so far. That is one null window,
//     mostly far from the value, and what counts is not which move is best but
//     which proof is small: df-pn at the first plies, alpha-beta below.
//   - table.go: what stands in the transposition table, which all threads share.
//   - solver.go, moves.go, learn.go: what callers see. The value is narrowed
//     by null windows in steps of 2 (solver.Bounds.Narrow), since it has the
//     parity of the squares left.
//
// Invariants. The bounds of a Result are proved, whatever ended the solve.
// Every pruning rests on a proof in the file that makes it and can be switched
// off; the tests compare all settings with plain minimax. Memory is fixed when
// a solver first works: the table and the stores never grow. A store that is
// full is emptied and the search begun again, with a warm table.
//
// A table of the values of small sums was not worth probing: of the positions
// that the search expands on endgames of 40 free segments 1.5 % have at most 12
// free segments and 15 % at most 16. Neither were choosing among several
// references of a component at each node (1 % fewer nodes), and completing all
// types up to 14 edges (40 % fewer nodes, the same time). For the question who
// wins: guessing mobility from the options of the parent, so that children need
// no labelling (three times the nodes, twice the time); mobility to order the
// moves of the null-window search (a quarter of the nodes, but one wrong turn
// costs half a million); the middle of the bounds instead of the lower one for
// the order (a third more nodes); the history of cut-offs by option (up to a tenth
// fewer nodes, no less time); killer moves (6 % more nodes). For the value df-pn gains nothing to speak
// of, and on empty boards it loses: 3x4 takes 7.4 million nodes with it and 3.3
// without.
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

// Options say how to search. The zero value is a good choice.
type Options struct {
	// Threads is the number of search threads; 0 means one. With one thread
	// and no time limit node counts are the same in every run.
	Threads int
	// TableBytes is the size of the transposition table; 0 means 256 MiB.
	TableBytes int64
	// TypeBytes is about the memory for component types, a thread; 0 means
	// 192 MiB.
	TypeBytes int64

	// NodeLimit ends a solve after about that many nodes a thread, for
	// measurements that must be the same everywhere; 0 sets no limit.
	NodeLimit uint64

	// Record, if set, is told of positions that took at least RecordNodes
	// nodes; see learn.go. It is called by all search threads.
	Record      func(Proved)
	RecordNodes uint64

	// Each of these switches one pruning off, for tests and measurements.
	NoTable  bool // transposition table
	NoBounds bool // static bounds
	NoPairs  bool // cancellation of identical pairs
	NoReduce bool // simplification in sums
	NoMirror bool // mirror theorem
	NoProof  bool // proof-number search of the first plies, for AtLeast

	proofEdges int    // as the constants of these names; tests make them smaller
	proofTry   uint64 // so that small positions are searched best-first too
}

const (
	defaultTableBytes = 256 << 20
	defaultTypeBytes  = 192 << 20
	bytesPerType      = 1100 // one typeInfo, 20 words of code, 24 options, shares of the indexes
	maxPlies          = grid.MaxSegments + 2

	// positionBytes is what a small table has for each set of free segments: 16 bytes
	// an entry, four times over, so that hardly a bucket is ever full.
	positionBytes = 64
)

// Solver searches positions; its transposition table stays warm from call to
// call. One goroutine at a time may use it.
type Solver struct {
	opt     Options
	shared  shared
	workers []*worker
	active  int // of the workers; see Use

	tableBytes, typesEach int64 // what is taken; see prepare
	rules                 *ruleBook
	labeler               graph.Labeler
}

// New returns a solver. Memory is taken at the first solve.
func New(opt Options) *Solver {
	opt.Threads = max(opt.Threads, 1)
	if opt.TableBytes <= 0 {
		opt.TableBytes = defaultTableBytes
	}
	if opt.TypeBytes <= 0 {
		opt.TypeBytes = defaultTypeBytes
	}
	opt.proofEdges, opt.proofTry = proofEdges, proofTry
	s := &Solver{opt: opt, active: opt.Threads}
	s.shared.opt = &s.opt
	s.rules = newRuleBook(&s.opt)
	return s
}

// Use makes the following solves work with fewer of the threads, one at least,
// or with all of them again.
func (s *Solver) Use(threads int) { s.active = max(min(threads, s.opt.Threads), 1) }

// Clear empties the table and forgets all types.
func (s *Solver) Clear() {
	if s.shared.table != nil {
		s.shared.table.Clear()
	}
	for _, w := range s.workers {
		w.types.reset()
	}
}

// prepare takes the memory for positions of so many segments. A small board has few
// positions and types, and gets little: to clear what a large one takes, a tenth
// of a second, would be most of its solve.
func (s *Solver) prepare(segments int) {
	few := int64(1) << min(segments, 40)
	table := min(s.opt.TableBytes, few*positionBytes)
	types := max(min(s.opt.TypeBytes/bytesPerType, few), 4096)
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
		s.workers = append(s.workers, w)
	}
}

// Value works out the value of the position of a board with these free segments;
// some that graph.Components refuses are an error. When the context ends before
// the value is known, the result holds the bounds proved so far.
func (s *Solver) Value(ctx context.Context, b *grid.Board, free grid.Set) (solver.Result, error) {
	parts, err := s.question(b, free)
	if err != nil {
		return solver.Result{}, err
	}
	return s.value(ctx, parts), nil
}

// AtLeast asks only whether the value is at least need, which is faster: the
// result has Lower >= need or Upper < need unless the context ended first.
func (s *Solver) AtLeast(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.Result, error) {
	parts, err := s.question(b, free)
	if err != nil {
		return solver.Result{}, err
	}
	return s.atLeast(ctx, parts, need), nil
}

// question begins one: what the table has of those before counts for less.
func (s *Solver) question(b *grid.Board, free grid.Set) ([]graph.Component, error) {
	parts, err := graph.Components(b, free)
	if err != nil {
		return nil, fmt.Errorf("solve: %w", err)
	}
	s.prepare(free.Len())
	s.shared.table.NextSearch()
	return parts, nil
}

// value is Value as a part of a larger question.
func (s *Solver) value(ctx context.Context, parts []graph.Component) solver.Result {
	return s.run(ctx, parts, (*worker).narrow)
}

// atLeast is AtLeast as a part of a larger question.
func (s *Solver) atLeast(ctx context.Context, parts []graph.Component, need int) solver.Result {
	return s.run(ctx, parts, func(w *worker, b solver.Bounds) solver.Bounds { return w.test(b, need) })
}

// run has all threads search a position, each beginning with what is known
// before any search; what they prove is put together.
func (s *Solver) run(ctx context.Context, parts []graph.Component, search func(*worker, solver.Bounds) solver.Bounds) solver.Result {
	// Each run has a flag of its own: a late call for an earlier context must
	// not end this one.
	stop := new(atomic.Bool)
	s.shared.stop = stop
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	if ctx.Err() != nil {
		stop.Store(true)
	}

	b := anything(parts)
	s.shared.lower.Store(int32(b.Lower))
	s.shared.upper.Store(int32(b.Upper))
	s.shared.nodes.Store(0)
	s.shared.active = s.active
	workers := s.workers[:s.active]
	proved := make([]solver.Bounds, len(workers))
	var group solver.Threads
	for i, w := range workers {
		w.nodes = 0
		w.types.stop = stop
		one := func() {
			defer stop.Store(true) // one has the answer, or has panicked
			proved[i] = w.solve(parts, b, search)
		}
		if len(workers) == 1 {
			one()
		} else {
			group.Go(one)
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

// anything are the bounds of a position that nothing is known of: all squares to one side.
func anything(parts []graph.Component) (b solver.Bounds) {
	for _, c := range parts {
		b.Lower, b.Upper = b.Lower-len(c.Code), b.Upper+len(c.Code)
	}
	return b
}

// solve runs a search from a root, again and again while the type store fills
// up: the table keeps what was found.
func (w *worker) solve(parts []graph.Component, b solver.Bounds, search func(*worker, solver.Bounds) solver.Bounds) solver.Bounds {
	for {
		w.abort, w.over = false, false
		if w.root(parts) {
			if p := &w.plies[0].pos; !w.opt.NoBounds {
				b.Lower, b.Upper = max(b.Lower, size(p.mask)-p.err), min(b.Upper, size(p.mask)+p.err)
			}
			b = search(w, b)
		}
		if !w.types.full {
			return b
		}
		w.types.reset()
		w.restarts++
	}
}

// root puts the position at the bottom of the stack. It reports false when
// the type store is full.
func (w *worker) root(parts []graph.Component) bool {
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
			if int(w.types.types[id].edges) <= w.types.eager && !w.types.expand(id) {
				return false
			}
			pos.add(w.types, id)
		}
	}
	pos.measure(w.types)
	return true
}

// narrow makes the bounds meet by null-window searches.
func (w *worker) narrow(b solver.Bounds) solver.Bounds {
	note := func(b solver.Bounds) bool {
		w.lower.Store(max(w.lower.Load(), int32(b.Lower)))
		w.upper.Store(min(w.upper.Load(), int32(b.Upper)))
		return w.abort
	}
	b = b.Narrow(w.guess(), func(beta int) (int, bool) {
		v := w.search(0, beta)
		return v, !w.abort
	}, note)
	note(b)
	return b
}

// guess is a number of the right parity to start from: the value if every
// component were worth its reference.
func (w *worker) guess() int {
	pos := &w.plies[0].pos
	v := size(pos.mask)
	if (v^pos.squares)&1 != 0 {
		v++
	}
	return v
}

// test asks whether the value is at least need.
func (w *worker) test(b solver.Bounds, need int) solver.Bounds {
	if (need^w.plies[0].pos.squares)&1 != 0 {
		need++
	}
	if need <= b.Lower || need > b.Upper {
		return b
	}
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
