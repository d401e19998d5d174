package exact

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/tt"
)

// Options size a Solver.
type Options struct {
	// Threads that search one position together; at least 1.
	Threads int
	// TableBytes is the size of the transposition table; 0 means 256 MB.
	TableBytes int64
}

const defaultTableBytes = 256 << 20

// Solver finds exact values of Dots and Boxes positions. It may be used by
// several goroutines at once; all share the table, whose entries stand for
// classes of positions and so serve any board.
type Solver struct {
	table   *tt.Narrow
	threads int
	use     features

	mu      sync.Mutex
	graphs  map[*grid.Board]*graph // of boards that fit as a whole
	frames  []*graph               // of positions on larger boards, the last used last
	workers []*worker              // idle ones
	forests []forest               // of live searches, the oldest first

	most, mostKept int   // nodes of a tree, and of all that are kept
	terms          terms // of the live search's estimate
}

// New returns a solver.
func New(o Options) *Solver {
	if o.TableBytes <= 0 {
		o.TableBytes = defaultTableBytes
	}
	return &Solver{
		table: tt.NewNarrow(o.TableBytes), threads: max(1, o.Threads), graphs: map[*grid.Board]*graph{},
		most: maxNodes, mostKept: maxKept,
	}
}

// Warm touches every page of the transposition table, so that a search under a
// clock does not wait for the system to find the memory. It may run beside
// searches.
func (s *Solver) Warm() { s.table.Warm() }

// graph finds the frame to search a position in: the board's for an empty or a
// small board, else one whose order suits the lines that are left.
func (s *Solver) graph(b *grid.Board, free grid.Set) (*graph, error) {
	if b.Segments() <= smallBoard || b.Segments() <= MaxEdges && free == b.All() {
		return s.boardGraph(b, free)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame(b, free)
}

// boardGraph is the frame of the whole board where it fits in a word, which is
// quickly at hand, or of the free lines.
func (s *Solver) boardGraph(b *grid.Board, free grid.Set) (*graph, error) {
	if b.Segments() > MaxEdges {
		return newGraph(b, free)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.graphs[b]
	if !ok {
		var err error
		if g, err = newGraph(b, b.All()); err != nil {
			return nil, err
		}
		s.graphs[b] = g
	}
	return g, nil
}

// work is one solve in progress: its workers and what stops them.
type work struct {
	s       *Solver
	g       *graph
	workers []*worker
	stop    atomic.Bool // the context has ended
	release func() bool
}

// begin takes workers; the caller must call end.
func (s *Solver) begin(ctx context.Context, g *graph) *work {
	w := &work{s: s, g: g}
	s.mu.Lock()
	n := min(s.threads, len(s.workers))
	w.workers = append(w.workers, s.workers[len(s.workers)-n:]...)
	s.workers = s.workers[:len(s.workers)-n]
	s.mu.Unlock()
	for len(w.workers) < s.threads {
		w.workers = append(w.workers, newWorker(g, s.table, s.use))
	}
	var marks *tt.Marks
	if s.threads > 1 {
		marks = new(tt.Marks)
	}
	deadline, _ := ctx.Deadline()
	for _, k := range w.workers {
		k.prepare(g, &w.stop, deadline, marks)
	}
	w.release = context.AfterFunc(ctx, func() { w.stop.Store(true) })
	return w
}

func (w *work) end() {
	w.release()
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.workers = append(w.s.workers, w.workers...)
}

// ended is why a search was stopped: the context's error, also where the search
// has seen its deadline pass before the context has.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.DeadlineExceeded
}

func (w *work) expansions() uint64 {
	var n uint64
	for _, k := range w.workers {
		n += k.expansions
	}
	return n
}

// anything are the bounds of a position that nothing is known of.
var anything = solver.Bounds{Lower: -infinity, Upper: infinity}

// result is what callers get.
func (w *work) result(b solver.Bounds) solver.Result {
	return solver.Result{Bounds: b, Nodes: w.expansions()}
}

// narrow makes the bounds of an R-type position meet by null-window searches
// in steps of 2, beginning near guess, or as far as the context lets it. With
// done it stops as soon as that says so.
func (w *work) narrow(mask uint64, b solver.Bounds, guess int, done func(solver.Bounds) bool) solver.Bounds {
	if mask == 0 {
		return solver.Bounds{}
	}
	boxes := w.g.boxesIn(mask)
	b.Lower, b.Upper = max(b.Lower, -boxes), min(b.Upper, boxes)
	key, _ := w.workers[0].keyOf(mask, parentHint{}, &w.workers[0].plies[0].shape)
	b.Lower, b.Upper = w.s.table.Probe(key.hi, key.lo, b.Lower, b.Upper)
	return b.Narrow(guess+(guess+boxes)&1, func(t int) (int, bool) { return w.atLeast(mask, boxes, t) }, done)
}

// atLeast is one null-window search with all workers; ok is false when the
// context ended first.
func (w *work) atLeast(mask uint64, boxes, t int) (v int, ok bool) {
	if len(w.workers) == 1 {
		k := w.workers[0]
		k.stopped = false
		v = k.atLeast(0, mask, parentHint{}, boxes, t, false)
		return v, !k.stopped
	}
	var (
		found  atomic.Bool // one worker has the answer, the others may stop
		group  sync.WaitGroup
		result atomic.Int64
	)
	for _, k := range w.workers {
		k.found = &found
		k.stopped = false
		group.Go(func() {
			v := k.atLeast(0, mask, parentHint{}, boxes, t, false)
			if !k.stopped && found.CompareAndSwap(false, true) {
				result.Store(int64(v))
			}
		})
	}
	group.Wait()
	return int(result.Load()), found.Load()
}

// value solves any position.
func (w *work) value(mask uint64, guess int) solver.Bounds {
	c, rest := w.g.close(mask)
	return c.bounds(w.narrow(rest, anything, guess-c.Taken, nil))
}

// Value works out the value of the position in which exactly the lines of
// free are free. When the context ends first, the result is bounds. It wraps
// ErrTooLarge.
func (s *Solver) Value(ctx context.Context, b *grid.Board, free grid.Set) (solver.Result, error) {
	g, err := s.graph(b, free)
	if err != nil {
		return solver.Result{}, err
	}
	w := s.begin(ctx, g)
	defer w.end()
	return w.result(w.value(g.Mask(free), 0)), nil
}

// Best works out the value and a best line to draw, with best play after it.
// Where the context ends before the value is known, the move is the zero
// solver.MoveBounds with Segment -1.
func (s *Solver) Best(ctx context.Context, b *grid.Board, free grid.Set) (solver.MoveBounds, solver.Result, error) {
	none := solver.MoveBounds{Segment: -1}
	g, err := s.graph(b, free)
	if err != nil {
		return none, solver.Result{}, err
	}
	w := s.begin(ctx, g)
	defer w.end()
	mask := g.Mask(free)
	r := w.value(mask, 0)
	if !r.Exact() || mask == 0 {
		return none, w.result(r), nil
	}
	line := w.line(mask, r.Lower)
	if len(line) == 0 {
		return none, w.result(r), nil
	}
	_, taken := g.draw(mask, g.edge[line[0]])
	return solver.MoveBounds{Segment: line[0], Gain: taken, Bounds: r, Line: line[1:]}, w.result(r), nil
}

// draw draws one line: the mask after it and the boxes completed.
func (g *graph) draw(mask uint64, edge int8) (rest uint64, taken int) {
	rest = mask &^ (1 << edge)
	for _, b := range g.side[edge] {
		if b != ground && rest&g.around[b] == 0 {
			taken++
		}
	}
	return rest, taken
}

// line finds best play from a position whose value is known, as segments. It
// ends early when the context does.
func (w *work) line(mask uint64, value int) []int {
	var line []int
	for mask != 0 {
		e, rest, taken := w.bestEdge(mask, value)
		if e < 0 {
			break
		}
		line = append(line, int(w.g.line[e]))
		if taken > 0 {
			value -= taken
		} else {
			value = -value
		}
		mask = rest
	}
	return line
}

// bestEdge finds a line worth at least value, where the position is; one that
// the table proves, if there is any, before others are searched. edge is -1
// when the context ends first.
func (w *work) bestEdge(mask uint64, value int) (edge int8, rest uint64, taken int) {
	candidates := w.candidates(mask)
	for _, search := range [2]bool{false, true} {
		for _, e := range candidates {
			rest, taken = w.g.draw(mask, e)
			c, closed := w.g.close(rest)
			// A line that completes boxes must leave the mover at least
			// value-taken; one that completes none, the opponent at most -value.
			need, reached := value-taken, func(r solver.Bounds) bool { return r.Lower >= value-taken }
			refuted := func(r solver.Bounds) bool { return r.Upper < value-taken }
			if taken == 0 {
				need = -value
				reached = func(r solver.Bounds) bool { return r.Upper <= -value }
				refuted = func(r solver.Bounds) bool { return r.Lower > -value }
			}
			r := c.bounds(w.narrow(closed, anything, need-c.Taken, func(b solver.Bounds) bool {
				r := c.bounds(b)
				return !search || reached(r) || refuted(r)
			}))
			if reached(r) {
				return e, rest, taken
			}
			if w.stop.Load() {
				return -1, 0, 0
			}
		}
	}
	return -1, 0, 0
}

// Known gives what the table says about a position and each of its lines, the
// best first, without any search.
func (s *Solver) Known(b *grid.Board, free grid.Set) ([]solver.MoveBounds, solver.Result, error) {
	g, err := s.boardGraph(b, free)
	if err != nil {
		return nil, solver.Result{}, err
	}
	w := s.begin(context.Background(), g)
	defer w.end()
	peek := func(mask uint64) solver.Bounds {
		c, rest := g.close(mask)
		return c.bounds(w.narrow(rest, anything, 0, func(solver.Bounds) bool { return true }))
	}
	mask := g.Mask(free)
	r := peek(mask)
	var moves []solver.MoveBounds
	for _, e := range w.candidates(mask) {
		rest, taken := g.draw(mask, e)
		v := peek(rest)
		m := solver.MoveBounds{Segment: int(g.line[e]), Gain: taken, Bounds: solver.Bounds{Lower: -v.Upper, Upper: -v.Lower}}
		if taken > 0 {
			m.Lower, m.Upper = v.Lower+taken, v.Upper+taken
		}
		m.Upper = min(m.Upper, r.Upper)
		r.Lower = max(r.Lower, m.Lower)
		moves = append(moves, m)
	}
	sortMoves(moves)
	return moves, w.result(r), nil
}

// Secure looks for a line worth at least need, by one null-window search
// where the table does not know; the result is bounds of the position's value.
// Where there is no such line, or the context ends first, Segment is -1.
func (s *Solver) Secure(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.MoveBounds, solver.Result, error) {
	none := solver.MoveBounds{Segment: -1}
	g, err := s.graph(b, free)
	if err != nil {
		return none, solver.Result{}, err
	}
	w := s.begin(ctx, g)
	defer w.end()
	mask := g.Mask(free)
	c, rest := g.close(mask)
	r := c.bounds(w.narrow(rest, anything, need-c.Taken, func(b solver.Bounds) bool {
		r := c.bounds(b)
		return r.Lower >= need || r.Upper < need
	}))
	if mask != 0 && r.Lower >= need {
		if e, _, taken := w.bestEdge(mask, need); e >= 0 {
			none = solver.MoveBounds{Segment: int(g.line[e]), Gain: taken, Bounds: solver.Bounds{Lower: need, Upper: r.Upper}}
		}
	}
	return none, w.result(r), nil
}

// safe says whether drawing the edge that led to rest has left no box with
// exactly one free line.
func (g *graph) safe(rest uint64, edge int8) bool {
	for _, b := range g.side[edge] {
		if b != ground && bits.OnesCount64(rest&g.around[b]) == 1 {
			return false
		}
	}
	return true
}

// candidates lists the edges of a position, captures first, then in the
// search's order with lines that give boxes away last.
func (w *work) candidates(mask uint64) []int8 {
	var groups [3][]int8
	for e := range int8(w.g.edges) {
		if mask>>e&1 == 0 {
			continue
		}
		rest, taken := w.g.draw(mask, e)
		switch {
		case taken > 0:
			groups[0] = append(groups[0], e)
		case w.g.safe(rest, e):
			groups[1] = append(groups[1], e)
		default:
			groups[2] = append(groups[2], e)
		}
	}
	return append(append(groups[0], groups[1]...), groups[2]...)
}

// Moves works out every free line, the best first; among equals captures come
// first. Where the context ends early the remaining ones are bounds.
func (s *Solver) Moves(ctx context.Context, b *grid.Board, free grid.Set) ([]solver.MoveBounds, solver.Result, error) {
	g, err := s.graph(b, free)
	if err != nil {
		return nil, solver.Result{}, err
	}
	w := s.begin(ctx, g)
	defer w.end()
	mask := g.Mask(free)
	r := w.value(mask, 0)
	var moves []solver.MoveBounds
	guess := r.Lower
	for _, e := range w.candidates(mask) {
		rest, taken := g.draw(mask, e)
		m := solver.MoveBounds{Segment: int(g.line[e]), Gain: taken}
		if taken > 0 {
			v := w.value(rest, guess-taken)
			m.Lower, m.Upper = v.Lower+taken, v.Upper+taken
		} else {
			v := w.value(rest, -guess)
			m.Lower, m.Upper = -v.Upper, -v.Lower
		}
		m.Upper = min(m.Upper, r.Upper)
		moves = append(moves, m)
	}
	sortMoves(moves)
	for i := range moves {
		m := &moves[i]
		if !m.Exact() {
			continue
		}
		rest, taken := g.draw(mask, g.edge[m.Segment])
		v := m.Lower - taken
		if taken == 0 {
			v = -m.Lower
		}
		m.Line = w.line(rest, v)
	}
	return moves, w.result(r), nil
}

// sortMoves puts the best first: by what is proved, then by what is possible;
// the order of candidates decides between equals.
func sortMoves(moves []solver.MoveBounds) {
	slices.SortStableFunc(moves, func(a, b solver.MoveBounds) int {
		if c := cmp.Compare(b.Lower, a.Lower); c != 0 {
			return c
		}
		return cmp.Compare(b.Upper, a.Upper)
	})
}
