package exact

import (
	"math/bits"
	"sync/atomic"
	"time"

	"endwise/solver"
	"endwise/solver/tt"
)

// features switches parts of the search off, for the tests that compare it with
// and without them. The zero value is the whole search.
type features uint

const (
	noDominance  features = 1 << iota // T4: try every isolated chain and loop
	noPairs                           // T5: keep isolated pairs
	noFormula                         // T6: search loony endings to the end
	noLoonyBound                      // T3: search every sacrifice
	noGraphKeys                       // T7: a position is only equal to itself
	noMemory                          // make every key's way to the table
)

// Move is one option of an R-type position: what the opponent's closure of it
// leaves, how many boxes he takes, and what his double-deal costs.
type Move struct {
	Child uint64
	Taken int16
	Price int16
	chain int16 // the parent's chain that goes, -1 where more does
	place int16 // what the list is sorted by
}

// Refusable says whether the opponent can double-deal.
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
	// markEdges is the least number of free lines that a position is marked
	// with; below, the work is over before it is noticed.
	markEdges = 12
	// smallFrame is the number of lines of a frame up to which the moves of a position are
	// not looked up together: its search finds all it needs in the processor's cache, and the
	// keys cost more than is cut off. One thread takes 0.97 s for 1.28 on 2x6, 0.13 for 0.18
	// on 3x4. Where more lines are, waits are what counts: 3x5 and 4x4 without it below 24
	// lines left take 1.03 and 1.05 times as long (two threads).
	smallFrame = 32
	// busy is the result of a search that another worker is at.
	busy = 1 << 20
)

// cached is what a worker remembers of a mask: its key, and the bounds that the
// table had last or that were found. A visit that ends here makes no key and does not
// look at the table, which is a walk to memory. A cache 64 times smaller costs 3 % more
// expansions, one 4 to 64 times larger gains nothing.
type cached struct {
	mask   uint64
	key    Key
	frame  uint32 // of the mask
	lo, hi int8
}

// worker searches on behalf of one thread.
type worker struct {
	g           *graph
	table       *tt.Compact
	use         features
	stop        *atomic.Bool // the whole solve
	deadline    time.Time    // zero for none; a busy process hears of its timers late
	found       *atomic.Bool // this null-window search; nil when alone
	marks       *tt.Marks    // what other workers are at; nil when alone
	stopped     bool
	expansions  uint64
	budget      uint64       // stop after so many expansions; 0 for no bound
	left        uint64       // stop all workers after so many; 0 for no bound
	record      func(Proved) // see Options; nil for none
	recordNodes uint64
	plies       [MaxEdges + 1]ply
	labels      labels
	cache       []cached // positions met before, by mask
}

func newWorker(g *graph, t *tt.Compact, use features) *worker {
	w := &worker{g: g, table: t, use: use}
	w.cache = tt.Make[cached](w, 1<<cacheBits)
	return w
}

// prepare readies a worker for a solve in a frame.
func (w *worker) prepare(g *graph, stop *atomic.Bool, deadline time.Time, m *tt.Marks) {
	w.g = g
	w.stop, w.deadline, w.found, w.marks, w.stopped, w.expansions = stop, deadline, nil, m, false, 0
}

// parentHint says how a position came about, for derive: as what is left of a shape
// without one of its chains. The zero value says nothing.
type parentHint struct {
	parent *shape
	chain  int
}

// takeApart fills s with a position, from its parent where that is quicker.
func (w *worker) takeApart(mask uint64, f parentHint, s *shape) {
	if f.parent == nil || f.chain < 0 || !f.parent.derive(f.chain, s) {
		w.g.take(mask, s, w.use)
	}
}

// keyOf is the key of an R-type position. fresh says that s now holds the
// position taken apart; otherwise the key came from the cache.
func (w *worker) keyOf(mask uint64, f parentHint, s *shape) (k Key, fresh bool) {
	if w.use&noGraphKeys != 0 {
		return Key{tt.Mix(mask), tt.Mix(mask + hashSingular)}, false
	}
	e := w.cached(mask)
	if e.mask == mask && e.frame == w.g.frame {
		return e.key, false
	}
	w.takeApart(mask, f, s)
	k = w.labels.key(s)
	*e = cached{mask, k, w.g.frame, -maxLength, maxLength}
	return k, true
}

// cached is the place of a mask in the cache, whether it is there or not.
func (w *worker) cached(mask uint64) *cached {
	return &w.cache[mask*0x9e3779b97f4a7c15>>(64-cacheBits)]
}

// remember notes bounds of a position where its mask still has its place.
func (w *worker) remember(mask uint64, lo, hi int) {
	if e := w.cached(mask); e.mask == mask && e.frame == w.g.frame {
		e.lo, e.hi = int8(lo), int8(hi)
	}
}

// atLeast is a null-window search of an R-type position with at most boxes
// boxes: the result v is a lower bound of the position's value if v >= t and
// an upper bound otherwise. t has the parity of the number of boxes, as every
// value has: all boxes are taken by someone.
//
// A stopped worker returns nonsense, and leaves the table alone. With
// unlessBusy, where another worker is at the same search, the result is busy and
// nothing is searched.
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
		w.takeApart(mask, f, s)
	}
	if s.mask == 0 { // isolated pairs only
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

// poll looks whether the search is to end.
func (w *worker) poll() {
	solver.Yield()
	if !w.deadline.IsZero() && time.Now().After(w.deadline) || w.left > 0 && w.expansions >= w.left {
		w.stop.Store(true)
	}
	if w.stop.Load() || w.found != nil && w.found.Load() {
		w.stopped = true
	}
}

// expand tries the moves of p.shape until one reaches t. First comes a look at
// what is known of all of them (an enhanced transposition cut-off, Schaeffer and Plaat
// 1996): by the worker, which is free, and where it pays by the table. Moves that another
// worker is at are put off until the others are done.
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
	var putOff uint64
	for i := range moves {
		v := w.try(depth, &moves[i], &p.shape, t, i > 0 && w.marks != nil)
		if w.stopped {
			return t
		}
		if v == busy {
			putOff |= 1 << i
			continue
		}
		best = max(best, v)
		if best >= t {
			return best
		}
	}
	for ; putOff != 0; putOff &= putOff - 1 {
		v := w.try(depth, &moves[bits.TrailingZeros64(putOff)], &p.shape, t, false)
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

// lookUp has the worker remember what the table knows of the moves of s, each of which
// scratch holds for a moment. A look is a walk to memory, but a processor makes many side by
// side where nothing is done between them, so that all keys are made first. And it cuts off
// sooner: with a look only when a move's turn came, 3x5 took 13.9 million expansions for
// 11.8, 4x4 18.0 for 14.8 (one thread), and both 1.1 to 1.3 times as long. To wait with it
// until a move or two have failed gains 5 % on 3x5 and loses 6 % on 4x4; a prefetch
// instruction as soon as each key was made took 1.3 times as long; eight searches in turns
// on each thread, their keys looked up side by side, gained 1.02 on 4x4.
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

// remembered is the best lower bound that the worker remembers of what moves are worth: the
// mover gets the less of -K-V and h-K+V, where V is what is left is worth to the
// opponent.
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

// try searches one move against t, with the same meaning of the result.
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
