package exact

import (
	"math/bits"
	"sync/atomic"
	"time"

	"endwise/solver"
	"endwise/solver/tt"
)

// features disables parts of the search, for tests that compare it with and without them.
type features uint

const (
	noDominance  features = 1 << iota // T4: try every isolated chain and loop, and every chain to the ground
	noPairs                           // T5: keep isolated pairs
	noFormula                         // T6: search loony endings to the end
	noLoonyBound                      // T3: search every move that gives away boxes
	noGraphKeys                       // T7: the key is a hash of the mask
	noMemory                          // no bounds from the cache and no cutoffs by bounds of moves
)

// Move is a move of an R-type position.
type Move struct {
	Child uint64 // the R-type position after the move and the captures
	Taken int16  // boxes that the opponent can take
	Price int16  // of the opponent's double-deal, or infinity
	chain int16  // index in shape.chains, -1 for an isolated component
	place int16  // in the order of moves; lowest first
	key   Key    // of Child, set by lookUp
}

// refusable reports whether the opponent can decline the last boxes by a double-deal.
func (m *Move) refusable() bool { return m.Price != infinity }

type ply struct {
	shape shape
	moves [maxChains]Move
	n     int
}

const (
	cacheBits = 18      // logarithm of the length of worker.cache
	pollEvery = 1 << 8  // number of expansions between two checks of stop and deadline
	markEdges = 12      // minimum number of free lines of a position with a mark
	busy      = 1 << 20 // result of a search that another worker is running
)

// cached is an entry of worker.cache: the key and bounds of a position of a frame.
type cached struct {
	mask   uint64
	key    Key
	frame  uint32
	lo, hi int8
}

type worker struct {
	g           *graph
	table       *tt.Compact
	use         features
	stop        *atomic.Bool
	deadline    time.Time    // zero for none
	found       *atomic.Bool // the null-window search has a result; nil with one worker
	marks       *tt.Marks    // by position and threshold: number of workers searching it; nil with one worker
	stopped     bool         // the search is ending; its result has no meaning
	expansions  uint64
	budget      uint64       // maximum of expansions; 0 for no limit
	record      func(Proved) // see Options
	recordNodes uint64
	searched    func(uint64) // see Options
	plies       [MaxEdges + 1]ply
	keys        keys
	scratch     shape
	cache       []cached
}

func newWorker(g *graph, t *tt.Compact, o Options) *worker {
	w := &worker{g: g, table: t, record: o.Record, recordNodes: o.RecordNodes, searched: o.Searched}
	w.cache = tt.Make[cached](w, 1<<cacheBits)
	return w
}

// prepare begins a solve in frame g. deadline (zero: none) and marks (nil: none) are as in worker.
func (w *worker) prepare(g *graph, stop *atomic.Bool, deadline time.Time, marks *tt.Marks) {
	w.g = g
	w.stop, w.deadline, w.found, w.marks, w.stopped, w.expansions = stop, deadline, nil, marks, false, 0
}

// node is an R-type position of the search.
type node struct {
	mask   uint64
	key    Key
	boxes  int    // including those of pairs that T5 removes
	parent *shape // may be nil
	chain  int16  // chain of parent that the move opened; -1 if derive cannot be used
}

func (w *worker) node(mask uint64, boxes int) node {
	return node{mask: mask, key: w.keyOf(mask), boxes: boxes, chain: -1}
}

// decompose sets s to the decomposition of n, if possible from that of its parent.
func (w *worker) decompose(n *node, s *shape) {
	if n.chain < 0 || !n.parent.derive(int(n.chain), s) {
		w.g.decompose(n.mask, s, w.use)
	}
}

// keyOf returns the key of an R-type position. It overwrites scratch.
func (w *worker) keyOf(mask uint64) Key {
	if w.use&noGraphKeys != 0 {
		return Key{tt.Mix(mask), tt.Mix(mask + hashSingular)}
	}
	w.g.decompose(mask, &w.scratch, w.use)
	return w.keys.keyOf(&w.scratch)
}

func (w *worker) remembered(mask uint64) *cached {
	if e := w.slot(mask); e.mask == mask && e.frame == w.g.frame {
		return e
	}
	return nil
}

func (w *worker) remember(mask uint64, k Key, lo, hi int) {
	*w.slot(mask) = cached{mask, k, w.g.frame, int8(lo), int8(hi)}
}

func (w *worker) slot(mask uint64) *cached {
	return &w.cache[mask*0x9e3779b97f4a7c15>>(64-cacheBits)]
}

// atLeast is a null-window search. The result v is a lower bound of the position's value if v >= t,
// and an upper bound otherwise. Values and t have the parity of the number of boxes. If the worker
// is stopped, the result has no meaning. If unlessBusy is set and another worker is searching the
// position, the result is busy.
func (w *worker) atLeast(depth int, n node, t int, unlessBusy bool) int {
	if n.mask == 0 {
		return 0
	}
	if n.boxes < t {
		return n.boxes
	}
	if -n.boxes >= t {
		return -n.boxes
	}
	if e := w.remembered(n.mask); e != nil && w.use&noMemory == 0 {
		if lo := int(e.lo); lo >= t {
			return lo
		}
		if hi := int(e.hi); hi < t {
			return hi
		}
	}
	lo, hi := w.table.Probe(n.key.Hi, n.key.Lo, -n.boxes, n.boxes)
	w.remember(n.mask, n.key, lo, hi)
	if lo >= t {
		return lo
	}
	if hi < t {
		return hi
	}
	return w.search(depth, &n, t, unlessBusy, lo, hi)
}

// search is atLeast for a position with bounds lo and hi that do not decide it.
func (w *worker) search(depth int, n *node, t int, unlessBusy bool, lo, hi int) int {
	p := &w.plies[depth]
	s := &p.shape
	w.decompose(n, s)
	if s.mask == 0 { // isolated pairs only (T5)
		return 0
	}
	// T6: the value is at most -cv, and equal to it if cv >= 2.
	if cv, ok := s.loonyEnding(); ok && w.use&noFormula == 0 && (cv >= 2 || -cv < t) {
		return -cv
	}
	var mark *atomic.Int32
	if w.marks != nil && bits.OnesCount64(s.mask) >= markEdges {
		if mark = w.marks.At(mixRound(n.key.Hi + uint64(t))); unlessBusy && mark.Load() > 0 {
			return busy
		}
		mark.Add(1)
	}
	before := w.expansions
	w.countExpansion()
	best := t
	if !w.stopped {
		best = w.expand(depth, p, n.key, t)
	}
	if mark != nil {
		mark.Add(-1)
	}
	if w.stopped {
		return t // without meaning
	}
	if best >= t {
		lo = max(lo, best)
	} else {
		hi = min(hi, best)
	}
	w.table.Store(n.key.Hi, n.key.Lo, lo, hi, w.expansions-before)
	if w.record != nil && w.expansions-before >= w.recordNodes {
		w.record(Proved{n.key, int8(lo), int8(hi)})
	}
	w.remember(n.mask, n.key, lo, hi)
	return best
}

// countExpansion counts an expansion and sets stopped beyond the budget. At every pollEvery-th one it
// also sets stopped if the search has to end, and stop if the deadline has passed.
func (w *worker) countExpansion() {
	w.expansions++
	if w.budget > 0 && w.expansions > w.budget {
		w.stopped = true
	}
	if w.expansions%pollEvery != 0 {
		return
	}
	solver.Yield()
	if w.searched != nil {
		w.searched(pollEvery)
	}
	if !w.deadline.IsZero() && time.Now().After(w.deadline) {
		w.stop.Store(true)
	}
	if w.stop.Load() || w.found != nil && w.found.Load() {
		w.stopped = true
	}
}

// expand tries the moves of p.shape, which has key k, until one reaches t, and returns a bound as
// atLeast. First it looks up all moves (enhanced transposition cutoffs, Schaeffer and Plaat 1996).
func (w *worker) expand(depth int, p *ply, k Key, t int) int {
	best := w.g.listMoves(p, t, w.use)
	moves := p.moves[:p.n]
	if v := w.lookUp(&p.shape, k, moves, t); v >= t {
		return v
	}
	var deferred uint64
	for i := range moves {
		v := w.tryMove(depth, &moves[i], &p.shape, t, i > 0 && w.marks != nil)
		if w.stopped {
			return t
		}
		if v == busy {
			deferred |= 1 << i
			continue
		}
		best = max(best, v)
		if best >= t {
			return best
		}
	}
	for ; deferred != 0; deferred &= deferred - 1 {
		v := w.tryMove(depth, &moves[bits.TrailingZeros64(deferred)], &p.shape, t, false)
		if w.stopped {
			return t
		}
		best = max(best, v)
		if best >= t {
			return best
		}
	}
	return best
}

// lookUp returns the best lower bound that the cache and the table contain for the moves of s,
// which has key k. It reads the table only if the cache does not suffice to reach t. If the result
// is below t, the keys of all moves with free lines left are set. All keys are computed before the
// table is read, so that the processor overlaps the memory accesses.
func (w *worker) lookUp(s *shape, k Key, moves []Move, t int) int {
	best := -infinity
	var fresh [maxChains]*Move
	n := 0
	for i := range moves {
		m := &moves[i]
		if m.Child == 0 {
			continue
		}
		e := w.remembered(m.Child)
		if e == nil {
			fresh[n] = m
			n++
			continue
		}
		m.key = e.key
		if w.use&noMemory == 0 {
			best = max(best, m.lowerBound(int(e.lo), int(e.hi)))
		}
	}
	if best >= t || n == 0 {
		return best
	}
	w.keys.load(s, k)
	for _, m := range fresh[:n] {
		if w.use == 0 {
			m.key = w.keys.child(s, m)
		} else {
			m.key = w.keyOf(m.Child)
		}
	}
	for _, m := range fresh[:n] {
		w.table.Touch(m.key.Hi)
	}
	for _, m := range fresh[:n] {
		boxes := s.boxes - int(m.Taken)
		lo, hi := w.table.Probe(m.key.Hi, m.key.Lo, -boxes, boxes)
		w.remember(m.Child, m.key, lo, hi)
		if w.use&noMemory == 0 {
			best = max(best, m.lowerBound(lo, hi))
		}
	}
	return best
}

// lowerBound returns a lower bound of the move's value, given bounds of V, the value of its child
// for the opponent: the mover gets min(-K-V, h-K+V), with K = m.Taken and h = m.Price.
func (m *Move) lowerBound(lo, hi int) int {
	v := -int(m.Taken) - hi
	if m.Price != infinity {
		v = min(v, int(m.Price)-int(m.Taken)+lo)
	}
	return v
}

// tryMove searches one move of s, the position at depth, and returns a bound of its value as atLeast.
func (w *worker) tryMove(depth int, m *Move, s *shape, t int, unlessBusy bool) int {
	k := int(m.Taken)
	child := node{m.Child, m.key, s.boxes - k, s, m.chain}
	most := infinity
	if m.Price != infinity {
		// First h-K+V must reach t (see lowerBound).
		need := t + k - int(m.Price)
		v := w.atLeast(depth+1, child, need, unlessBusy)
		if v == busy {
			return busy
		}
		most = v + int(m.Price) - k
		if v < need {
			return most
		}
	}
	v := w.atLeast(depth+1, child, -k-t+2, unlessBusy)
	if v == busy {
		return busy
	}
	return min(most, -k-v)
}
