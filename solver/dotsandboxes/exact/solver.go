package exact

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/tt"
)

// Options configures a [Solver].
type Options struct {
	// Threads is the number of threads that search one position together; 0 means one.
	Threads int
	// TableBytes is the size of the transposition table; 0 means 256 MB.
	TableBytes int64
	// SecondOrder tries lines in another order. A second solve then proves a value by another
	// tree.
	SecondOrder bool
	// Record, if not nil, is called with the bounds of every position whose search took at
	// least RecordNodes expansions, concurrently by all threads. A later solve can continue
	// from these bounds; see [Solver.Learn].
	Record      func(Proved)
	RecordNodes uint64
	// Searched, if not nil, is called every few hundred positions by each search thread,
	// concurrently. n is the number of positions that the thread has expanded since its last call.
	Searched func(n uint64)
}

// defaultTableBytes is the default of Options.TableBytes.
const defaultTableBytes = 256 << 20

// Solver computes exact values of Dots and Boxes positions. It is safe for concurrent use.
// All solves share the table, whose entries hold on any board.
type Solver struct {
	table   *tt.Compact
	threads int
	second  bool // Options.SecondOrder

	mu      sync.Mutex
	graphs  map[*grid.Board]*graph // of boards with at most MaxEdges lines
	frames  []*graph               // of positions on larger boards, least recently used first
	workers []*worker              // idle workers

	record      func(Proved)
	recordNodes uint64
	searched    func(uint64)
}

// BoardTable returns the size in bytes, at most limit, of a transposition table with room for
// every position of a board. A larger table only costs time: the first use of each page is
// slow.
func BoardTable(b *grid.Board, limit int64) int64 {
	return min(limit, 8<<min(b.Segments(), 50))
}

// New returns a solver.
func New(o Options) *Solver {
	if o.TableBytes <= 0 {
		o.TableBytes = defaultTableBytes
	}
	return &Solver{
		table: tt.NewCompact(o.TableBytes), threads: max(1, o.Threads), second: o.SecondOrder,
		graphs: map[*grid.Board]*graph{}, record: o.Record, recordNodes: o.RecordNodes, searched: o.Searched,
	}
}

// Warm touches every page of the transposition table, so that a timed search does not wait
// for the system to provide the memory. It may run concurrently with searches.
func (s *Solver) Warm() { s.table.Warm() }

// SaveTable writes the transposition table, for LoadTable of a new solver with a table of
// the same size. No search may be running in either.
func (s *Solver) SaveTable(w io.Writer) error { return s.table.Save(w) }

// LoadTable reads the output of SaveTable. After an error the table is empty.
func (s *Solver) LoadTable(r io.Reader) error { return s.table.Load(r) }

// graph returns the frame for searching a position. It is the frame of the whole board if the board
// is small or no line is drawn, otherwise one whose order depends on the free lines.
// Options.SecondOrder exchanges the two if the board's lines fit into a mask. Errors wrap ErrTooLarge.
func (s *Solver) graph(b *grid.Board, free grid.Set) (*graph, error) {
	whole := b.Segments() <= smallBoard || b.Segments() <= MaxEdges && free == b.All()
	if s.second {
		whole = !whole && b.Segments() <= MaxEdges
	}
	if whole {
		return s.boardGraph(b, free)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame(b, free)
}

// boardGraph returns the frame of the whole board, which is cached. If the board has more
// than MaxEdges lines, it returns a new frame of the free lines. Errors wrap ErrTooLarge.
func (s *Solver) boardGraph(b *grid.Board, free grid.Set) (*graph, error) {
	if b.Segments() > MaxEdges {
		return newGraph(b, free)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.graphs[b]
	if !ok {
		var err error
		if g, err = newBoardGraph(b); err != nil {
			return nil, err
		}
		s.graphs[b] = g
	}
	return g, nil
}

// work is one solve in progress.
type work struct {
	s       *Solver
	g       *graph
	workers []*worker
	stop    atomic.Bool // set when the context or its deadline ends
	release func() bool // ends the observation of the context
}

// open begins work on a position and returns its mask. The caller must call end. Errors wrap
// ErrTooLarge.
func (s *Solver) open(ctx context.Context, b *grid.Board, free grid.Set) (w *work, mask uint64, err error) {
	g, err := s.graph(b, free)
	if err != nil {
		return nil, 0, err
	}
	return s.begin(ctx, g), g.Mask(free), nil
}

// begin reserves workers for a solve in frame g; the caller must call end.
func (s *Solver) begin(ctx context.Context, g *graph) *work {
	w := &work{s: s, g: g}
	s.mu.Lock()
	n := min(s.threads, len(s.workers))
	w.workers = append(w.workers, s.workers[len(s.workers)-n:]...)
	s.workers = s.workers[:len(s.workers)-n]
	s.mu.Unlock()
	for len(w.workers) < s.threads {
		w.workers = append(w.workers, newWorker(g, s.table, 0))
	}
	var marks *tt.Marks
	if s.threads > 1 {
		marks = new(tt.Marks)
	}
	deadline, _ := ctx.Deadline()
	for _, k := range w.workers {
		k.prepare(g, &w.stop, deadline, marks)
		k.record, k.recordNodes, k.searched = s.record, s.recordNodes, s.searched
	}
	w.release = context.AfterFunc(ctx, func() { w.stop.Store(true) })
	return w
}

// end makes the workers available to other solves.
func (w *work) end() {
	w.release()
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.workers = append(w.s.workers, w.workers...)
}

// ended returns the reason why a search stopped: the context's error, or DeadlineExceeded
// if the search saw the deadline pass before the context did.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.DeadlineExceeded
}

// expansions returns the number of positions that all workers have expanded.
func (w *work) expansions() uint64 {
	var n uint64
	for _, k := range w.workers {
		n += k.expansions
	}
	return n
}

// result returns the result with bounds b and the number of expansions so far.
func (w *work) result(b solver.Bounds) solver.Result {
	return solver.Result{Bounds: b, Nodes: w.expansions()}
}

// narrow returns bounds of the value of an R-type position. It narrows the bounds by null-window
// searches, beginning near estimate, until the bounds are equal, the context ends or done returns
// true. done may be nil.
func (w *work) narrow(mask uint64, estimate int, done func(solver.Bounds) bool) solver.Bounds {
	if mask == 0 {
		return solver.Bounds{}
	}
	boxes := w.g.boxesIn(mask)
	key := w.workers[0].keyOf(mask)
	var b solver.Bounds
	b.Lower, b.Upper = w.s.table.Probe(key.Hi, key.Lo, -boxes, boxes)
	return b.Narrow(estimate+(estimate+boxes)&1, func(t int) (int, bool) { return w.atLeast(mask, boxes, t) }, done)
}

// atLeast is one null-window search of an R-type position by all workers; see worker.atLeast. ok
// is false if the search was stopped before it had a result.
func (w *work) atLeast(mask uint64, boxes, t int) (v int, ok bool) {
	if len(w.workers) == 1 {
		k := w.workers[0]
		k.stopped = false
		v = k.atLeast(0, k.node(mask, boxes), t, false)
		return v, !k.stopped
	}
	var (
		found  atomic.Bool // one worker has finished; the others stop
		group  solver.Threads
		result atomic.Int64
	)
	for _, k := range w.workers {
		k.found = &found
		k.stopped = false
		group.Go(func() {
			v := k.atLeast(0, k.node(mask, boxes), t, false)
			if !k.stopped && found.CompareAndSwap(false, true) {
				result.Store(int64(v))
			}
		})
	}
	group.Wait()
	return int(result.Load()), found.Load()
}
