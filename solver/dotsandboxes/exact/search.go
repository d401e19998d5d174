package exact

import (
	"math/bits"
	"sync/atomic"
	"time"

	"endwise/solver"
	"endwise/solver/tt"
)

// features disables parts of the search, for tests that compare it with and without them.
// The zero value is the complete search.
type features uint

const (
	noDominance  features = 1 << iota // T4: try every isolated chain and loop
	noPairs                           // T5: keep isolated pairs
	noFormula                         // T6: search loony endings to the end
	noLoonyBound                      // T3: search every move that gives away boxes
	noGraphKeys                       // T7: the key is a hash of the mask
	noMemory                          // always look up the table
)

// Move is a move of an R-type position: the closure of the position after it, the number of
// boxes that the opponent can take, and the price of the opponent's double-deal.
type Move struct {
	Child uint64
	Taken int16
	Price int16
	chain int16 // index of the removed chain in the parent, -1 if more is removed
	place int16 // sort key
}

// Refusable reports whether the opponent can double-deal.
func (m *Move) Refusable() bool { return m.Price != infinity }

// ply is the scratch memory of one level of the recursion.
type ply struct {
	shape shape
	moves [maxChains]Move
	n     int // moves in use
}

const (
	cacheBits = 18
	pollEvery = 1 << 8
	// markEdges is the minimum number of free lines of a position that is marked as being
	// searched; smaller searches end before another worker notices the mark.
	markEdges = 12
	// smallFrame is the maximum number of lines of a frame in which expand does not look up
	// all moves before it searches one: such searches find most positions in the processor's cache, and
	// computing the keys costs more than the cutoffs save.
	smallFrame = 32
	// busy is the result of a search that another worker is already running.
	busy = 1 << 20
)

// cached is a worker's record of a mask: its key, and bounds from its last table lookup or
// search. Visits that end here avoid computing the key and a memory access for the table.
type cached struct {
	mask   uint64
	key    Key
	frame  uint32 // of the mask
	lo, hi int8
}

// worker searches in one thread.
type worker struct {
	g           *graph
	table       *tt.Compact
	use         features
	stop        *atomic.Bool // ends the whole solve
	deadline    time.Time    // zero for none; checked here because timers fire late on a busy machine
	found       *atomic.Bool // ends this null-window search; nil with one worker
	marks       *tt.Marks    // what other workers are searching; nil with one worker
	stopped     bool
	expansions  uint64
	budget      uint64       // expansions after which this worker stops; 0 for no limit
	left        uint64       // expansions after which all workers stop; 0 for no limit
	record      func(Proved) // see Options
	recordNodes uint64
	plies       [MaxEdges + 1]ply
	labels      labels
	cache       []cached // by hash of the mask
}

func newWorker(g *graph, t *tt.Compact, use features) *worker {
	w := &worker{g: g, table: t, use: use}
	w.cache = tt.Make[cached](w, 1<<cacheBits)
	return w
}

// prepare resets a worker for a solve in frame g.
func (w *worker) prepare(g *graph, stop *atomic.Bool, deadline time.Time, m *tt.Marks) {
	w.g = g
	w.stop, w.deadline, w.found, w.marks, w.stopped, w.expansions = stop, deadline, nil, m, false, 0
}

// parentHint identifies a position as parent without one of its chains, for shape.derive.
// The zero value is no hint.
type parentHint struct {
	parent *shape
	chain  int
}

// decompose fills s with the decomposition of a position, derived from its parent if
// possible.
func (w *worker) decompose(mask uint64, f parentHint, s *shape) {
	if f.parent == nil || f.chain < 0 || !f.parent.derive(f.chain, s) {
		w.g.decompose(mask, s, w.use)
	}
}

// keyOf returns the key of an R-type position. fresh reports whether s now contains the
// decomposition; otherwise the key came from the cache.
func (w *worker) keyOf(mask uint64, f parentHint, s *shape) (k Key, fresh bool) {
	if w.use&noGraphKeys != 0 {
		return Key{tt.Mix(mask), tt.Mix(mask + hashSingular)}, false
	}
	e := w.cached(mask)
	if e.mask == mask && e.frame == w.g.frame {
		return e.key, false
	}
	w.decompose(mask, f, s)
	k = w.labels.key(s)
	*e = cached{mask, k, w.g.frame, -maxLength, maxLength}
	return k, true
}

// cached returns the cache slot of a mask, which may hold another mask.
func (w *worker) cached(mask uint64) *cached {
	return &w.cache[mask*0x9e3779b97f4a7c15>>(64-cacheBits)]
}

// remember records bounds of a position if the cache still contains its mask.
func (w *worker) remember(mask uint64, lo, hi int) {
	if e := w.cached(mask); e.mask == mask && e.frame == w.g.frame {
		e.lo, e.hi = int8(lo), int8(hi)
	}
}

// atLeast is a null-window search of an R-type position; boxes is at least its number of
// boxes. The result v is a lower bound of the position's value if v >= t, and an upper bound
// otherwise. t has the parity of the number of boxes, like every value, because all boxes
// are taken by one of the players.
//
// If the worker is stopped, the result is meaningless and the table is unchanged. If
// unlessBusy is set and another worker is running the same search, the result is busy.
func (w *worker) atLeast(depth int, mask uint64, f parentHint, boxes, t int, unlessBusy bool) int {
	if mask == 0 {
		return 0
	}
	if boxes < t {
		return boxes
	}
	if -boxes >= t {
		return -boxes
	}
	if e := w.cached(mask); e.mask == mask && e.frame == w.g.frame && w.use&noMemory == 0 {
		if lo := int(e.lo); lo >= t {
			return lo
		}
		if hi := int(e.hi); hi < t {
			return hi
		}
	}
	p := &w.plies[depth]
	s := &p.shape
	k, fresh := w.keyOf(mask, f, s)
	lo, hi := w.table.Probe(k.Hi, k.Lo, -boxes, boxes)
	w.remember(mask, lo, hi)
	if lo >= t {
		return lo
	}
	if hi < t {
		return hi
	}
	if !fresh {
		w.decompose(mask, f, s)
	}
	if s.mask == 0 { // isolated pairs only (T5)
		return 0
	}
	if s.joints == 0 && s.lone[1]+s.lone[2] == 0 && w.use&noFormula == 0 {
		v, exact := loonyValue(s.threes, s.long, s.loops, s.boxes)
		if exact || v < t {
			return v
		}
	}
	var mark *atomic.Int32
	if w.marks != nil && bits.OnesCount64(s.mask) >= markEdges {
		if mark = w.marks.At(mixRound(k.Hi + uint64(t))); unlessBusy && mark.Load() > 0 {
			return busy
		}
		mark.Add(1)
	}
	before := w.expansions
	w.expansions++
	if w.budget > 0 && w.expansions > w.budget {
		w.stopped = true
	}
	if w.expansions%pollEvery == 0 {
		w.poll()
	}
	best := t
	if !w.stopped {
		best = w.expand(depth, p, t)
	}
	if mark != nil {
		mark.Add(-1)
	}
	if w.stopped {
		return t
	}
	if best >= t {
		lo = max(lo, best)
	} else {
		hi = min(hi, best)
	}
	w.table.Store(k.Hi, k.Lo, lo, hi, w.expansions-before)
	if w.record != nil && w.expansions-before >= w.recordNodes {
		w.record(Proved{k, int8(lo), int8(hi)})
	}
	w.remember(mask, lo, hi)
	return best
}

// poll checks whether the search has to stop.
func (w *worker) poll() {
	solver.Yield()
	if !w.deadline.IsZero() && time.Now().After(w.deadline) || w.left > 0 && w.expansions >= w.left {
		w.stop.Store(true)
	}
	if w.stop.Load() || w.found != nil && w.found.Load() {
		w.stopped = true
	}
}

// expand tries the moves of p.shape until one reaches t. First it looks up all moves
// (enhanced transposition cutoffs, Schaeffer and Plaat 1996): in the worker's cache, then
// on large frames in the table. Moves that another worker is searching are deferred until
// the others are done.
func (w *worker) expand(depth int, p *ply, t int) int {
	best := w.g.options(p, t, w.use)
	moves := p.moves[:p.n]
	if v := w.remembered(moves); v >= t {
		return v
	}
	if w.g.edges > smallFrame {
		w.lookUp(&p.shape, &w.plies[depth+1].shape, moves)
		if v := w.remembered(moves); v >= t {
			return v
		}
	}
	var deferred uint64
	for i := range moves {
		v := w.try(depth, &moves[i], &p.shape, t, i > 0 && w.marks != nil)
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
		v := w.try(depth, &moves[bits.TrailingZeros64(deferred)], &p.shape, t, false)
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

// lookUp copies the table's bounds of the moves of s into the worker's cache; scratch is
// overwritten. It computes all keys before the first lookup, so that the processor overlaps
// the memory accesses.
func (w *worker) lookUp(s, scratch *shape, moves []Move) {
	var keys [maxChains]Key
	var made [maxChains]*Move
	n := 0
	for i := range moves {
		m := &moves[i]
		if k, fresh := w.keyOf(m.Child, parentHint{s, int(m.chain)}, scratch); fresh {
			keys[n], made[n] = k, m
			n++
		}
	}
	for _, k := range keys[:n] {
		w.table.Touch(k.Hi)
	}
	for i, m := range made[:n] {
		boxes := s.boxes - int(m.Taken)
		lo, hi := w.table.Probe(keys[i].Hi, keys[i].Lo, -boxes, boxes)
		w.remember(m.Child, lo, hi)
	}
}

// remembered returns the best lower bound of the moves' values by the worker's cache: the
// mover gets min(-K-V, h-K+V), where V is the value of the child for the opponent.
func (w *worker) remembered(moves []Move) int {
	best := -infinity
	for i := range moves {
		m := &moves[i]
		e := w.cached(m.Child)
		if e.mask != m.Child || e.frame != w.g.frame || m.Child == 0 || w.use&noMemory != 0 {
			continue
		}
		v := -int(m.Taken) - int(e.hi)
		if m.Price != infinity {
			v = min(v, int(m.Price)-int(m.Taken)+int(e.lo))
		}
		best = max(best, v)
	}
	return best
}

// try searches one move against t; the result is a bound as in atLeast.
func (w *worker) try(depth int, m *Move, s *shape, t int, unlessBusy bool) int {
	k := int(m.Taken)
	left := s.boxes - k
	f := parentHint{s, int(m.chain)}
	most := infinity
	if m.Price != infinity {
		// The mover gets min(-K-V, h-K+V): both must reach t.
		need := t + k - int(m.Price)
		v := w.atLeast(depth+1, m.Child, f, left, need, unlessBusy)
		if v == busy {
			return busy
		}
		most = v + int(m.Price) - k
		if v < need {
			return most
		}
	}
	v := w.atLeast(depth+1, m.Child, f, left, -k-t+2, unlessBusy)
	if v == busy {
		return busy
	}
	return min(most, -k-v)
}
