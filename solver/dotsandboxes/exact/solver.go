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
	// Threads is the number of threads that search one position together; at least one.
	Threads int
	// TableBytes is the size of the transposition table; 0 means 256 MB.
	TableBytes int64
	// SecondOrder tries lines in another order on boards with at most [MaxEdges] lines.
	SecondOrder bool
	// Record, if not nil, is called with the bounds of every position whose search took at least
	// RecordNodes expansions, concurrently by all threads.
	Record      func(Proved)
	RecordNodes uint64
	// Searched, if not nil, is called by each search thread after every n expansions of a solve,
	// concurrently, and at its end with the rest. n is a few hundred.
	Searched func(n uint64)
}

// Solver computes exact values of Dots and Boxes positions. It is safe for concurrent use. All
// solves share the table, whose entries hold on any board.
type Solver struct {
	options Options
	table   *tt.Compact

	mu      sync.Mutex
	graphs  map[*grid.Board]*graph // of boards with at most MaxEdges lines
	frames  []*graph               // see method frame; least recently used first
	workers []*worker              // idle workers
}

// BoardTable returns the size in bytes, at most limit, of a table with room for a board's positions.
func BoardTable(b *grid.Board, limit int64) int64 {
	return min(limit, 8<<min(b.Segments(), 50))
}

// New returns a solver.
func New(o Options) *Solver {
	if o.TableBytes <= 0 {
		o.TableBytes = 256 << 20
	}
	o.Threads = max(1, o.Threads)
	return &Solver{options: o, table: tt.NewCompact(o.TableBytes), graphs: map[*grid.Board]*graph{}}
}

// Warm touches every page of the transposition table, so that a timed search does not wait for
// memory. It may run concurrently with searches.
func (s *Solver) Warm() { s.table.Warm() }

// SaveTable writes the transposition table. No search may be running.
func (s *Solver) SaveTable(w io.Writer) error { return s.table.Save(w) }

// LoadTable reads the output of SaveTable of a solver with a table of the same size. No search may
// be running. After an error the table is empty.
func (s *Solver) LoadTable(r io.Reader) error { return s.table.Load(r) }

// graph returns the frame for searching a position: the frame of the whole board if the board is
// small, or if no line is drawn and the board's lines fit into a mask, otherwise one whose order
// depends on the free lines. Options.SecondOrder exchanges the two. Errors wrap ErrTooLarge.
func (s *Solver) graph(b *grid.Board, free grid.Set) (*graph, error) {
	whole := b.Segments() <= smallBoard || b.Segments() <= MaxEdges && free == b.All()
	if s.options.SecondOrder {
		whole = !whole && b.Segments() <= MaxEdges
	}
	if whole {
		return s.boardGraph(b, free)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame(b, free)
}

// boardGraph returns the frame of the whole board. If the board has more than MaxEdges lines, it
// returns a new frame of the free lines. Errors wrap ErrTooLarge.
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
	stop    atomic.Bool
	release func() bool // ends the observation of the context
}

// open begins work on a position, as begin does, and returns its mask. Errors wrap ErrTooLarge.
func (s *Solver) open(ctx context.Context, b *grid.Board, free grid.Set) (w *work, mask uint64, err error) {
	g, err := s.graph(b, free)
	if err != nil {
		return nil, 0, err
	}
	return s.begin(ctx, g), g.Mask(free), nil
}

// begin takes idle or new workers for a solve in frame g until ctx ends. The caller must call end.
func (s *Solver) begin(ctx context.Context, g *graph) *work {
	w := &work{s: s, g: g}
	s.mu.Lock()
	n := min(s.options.Threads, len(s.workers))
	w.workers = append(w.workers, s.workers[len(s.workers)-n:]...)
	s.workers = s.workers[:len(s.workers)-n]
	s.mu.Unlock()
	for len(w.workers) < s.options.Threads {
		w.workers = append(w.workers, newWorker(g, s.table, s.options))
	}
	var marks *tt.Marks
	if s.options.Threads > 1 {
		marks = new(tt.Marks)
	}
	deadline, _ := ctx.Deadline()
	for _, k := range w.workers {
		k.prepare(g, &w.stop, deadline, marks)
	}
	w.release = context.AfterFunc(ctx, func() { w.stop.Store(true) })
	return w
}

// end releases the workers. w must not be used afterwards, except its expansions.
func (w *work) end() {
	w.release()
	for _, k := range w.workers {
		if k.searched != nil {
			k.searched(k.expansions % pollEvery)
		}
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.workers = append(w.s.workers, w.workers...)
}

// ended returns the context's error, or DeadlineExceeded if the search saw the deadline pass first.
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

func (w *work) result(b solver.Bounds) solver.Result {
	return solver.Result{Bounds: b, Nodes: w.expansions()}
}

// narrow narrows the bounds of an R-type position by null-window searches, beginning near estimate,
// until they are equal, the context ends or done returns true. done may be nil.
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

// atLeast is worker.atLeast by all workers. ok is false if the search was stopped.
func (w *work) atLeast(mask uint64, boxes, t int) (v int, ok bool) {
	if len(w.workers) == 1 {
		k := w.workers[0]
		k.stopped = false
		v = k.atLeast(0, k.node(mask, boxes), t, false)
		return v, !k.stopped
	}
	var (
		found  atomic.Bool
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
