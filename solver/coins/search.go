package coins

import (
"os"
"strconv"
"math/bits"
	"sync/atomic"
)

// rules switches parts of the search off, for the tests that compare it with
// and without them. The zero value is the whole search.
type rules uint

const (
	noDominance  rules = 1 << iota // T4: try every isolated chain and loop
	noPairs                        // T5: keep isolated pairs
	noFormula                      // T6: search loony endings to the end
	noLoonyBound                   // T3: search every sacrifice
	noGraphKeys                    // T7: a position is only equal to itself
	noChildProbe                   // do not look children up before searching
)

// move is one option of an R-type position: what the opponent's closure of it
// leaves, how many boxes he takes, and what his double-deal costs.
type move struct {
	child uint64
	key   Key
	taken int16
	price int16
	edges uint64 // the line drawn, as a mask
	lo    int8   // bounds of the child's value, for the player to move there
	hi    int8
}

// ply is the scratch memory of one level of the recursion.
type ply struct {
	shape shape
	moves [maxChains]move
	n     int // moves in use
}

const (
	keyCacheBits = 17
	pollEvery    = 1 << 8
)

type cachedKey struct {
	mask uint64
	key  Key
}

// worker searches on behalf of one thread.
type worker struct {
	g          *Graph
	table      *Table
	use        rules
	stop       *atomic.Bool
	stopped    bool
	expansions uint64
	keysMade   uint64
	plies      [MaxEdges + 1]ply
	scratch    shape
	limit uint64
	keys       []cachedKey
}

func newWorker(g *Graph, t *Table, use rules, stop *atomic.Bool) *worker {
	return &worker{g: g, table: t, use: use, stop: stop, keys: make([]cachedKey, 1<<keyCacheBits)}
}

// keyOf is the key of an R-type position, from the cache where it was met
// before: key making is the dearest part of a node, and most children have
// been a child of another node.
func (w *worker) keyOf(mask uint64) Key {
	if w.use&noGraphKeys != 0 {
		return Key{mix(mask), mix(mask + hashSingular)}
	}
	e := &w.keys[mask*0x9e3779b97f4a7c15>>(64-keyCacheBits)]
	if e.mask == mask {
		return e.key
	}
	w.keysMade++
	w.g.take(mask, &w.scratch, w.use)
	k := w.g.key(&w.scratch)
	*e = cachedKey{mask, k}
	return k
}

// atLeast is a null-window search of an R-type position with the given key
// and at most boxes boxes: the result v is a lower bound of the position's
// value if v >= t and an upper bound otherwise. t has the parity of the
// number of boxes, as every value has: all boxes are taken by someone.
// A stopped worker returns nonsense, and leaves the table alone.
func (w *worker) atLeast(depth int, mask uint64, k Key, boxes, t int) int {
	if mask == 0 {
		return 0
	}
	lo, hi := w.table.probe(k, -boxes, boxes)
	if lo >= t {
		return lo
	}
	if hi < t {
		return hi
	}
	p := &w.plies[depth]
	s := &p.shape
	w.g.take(mask, s, w.use)
	if s.mask == 0 { // isolated pairs only
		return 0
	}
	if s.joints == 0 && s.lone[1]+s.lone[2] == 0 && w.use&noFormula == 0 {
		v, exact := loonyValue(s.threes, s.long, s.loops, s.boxes)
		if exact || v < t {
			return v
		}
	}
	w.expansions++
	if w.expansions%pollEvery == 0 && w.stop.Load() {
		w.stopped = true
	}
	if w.stopped {
		return t
	}
	if w.limit > 0 && w.expansions > w.limit { w.stopped = true; return t }
	before := w.expansions
	best := w.options(p, t)
	etc := bits.OnesCount64(s.mask) >= ETC
	if etc {
		best = max(best, w.lookUp(p, t))
	}
	if best >= t {
		w.table.store(k, max(lo, best), hi, 1)
		return best
	}
	moves := p.moves[:p.n]
	for i := range moves {
		m := &moves[i]
		if !etc {
			m.key = w.keyOf(m.child)
			m.lo = -100
		}
		v := w.try(depth, m, s.boxes, t)
		if w.stopped {
			return t
		}
		best = max(best, v)
		if best >= t {
			break
		}
	}
	if best >= t {
		lo = max(lo, best)
	} else {
		hi = min(hi, best)
	}
	w.table.store(k, lo, hi, w.expansions-before+1)
	return best
}

// try searches one move against t, with the same meaning of the result.
func (w *worker) try(depth int, m *move, boxes, t int) int {
	k := int(m.taken)
	left := boxes - k
	most := never
	if m.price != never {
		// The mover gets min(-K-V, h-K+V): both must reach t.
		need := t + k - int(m.price)
		v := int(m.lo)
		if v < need {
			if v = w.atLeast(depth+1, m.child, m.key, left, need); v < need {
				return v + int(m.price) - k
			}
		}
		most = v + int(m.price) - k
	}
	return min(most, -k-w.atLeast(depth+1, m.child, m.key, left, -k-t+2))
}

// lookUp finds the keys of all moves' children and what the table knows of
// them. A move that is proved to reach t ends the node: its value is returned.
// Moves that are proved not to are dropped, and the most that they could give
// is returned.
func (w *worker) lookUp(p *ply, t int) int {
	moves := p.moves[:p.n]
	for i := range moves {
		moves[i].key = w.keyOf(moves[i].child)
	}
	best := -never
	kept := 0
	for i := range moves {
		m := &moves[i]
		left := p.shape.boxes - int(m.taken)
		lo, hi := -left, left
		if w.use&noChildProbe == 0 {
			lo, hi = w.table.probe(m.key, lo, hi)
		}
		atLeast, atMost := m.bounds(lo, hi)
		if atLeast >= t {
			return atLeast
		}
		if atMost < t {
			best = max(best, atMost)
			continue
		}
		m.lo, m.hi = int8(lo), int8(hi)
		moves[kept] = *m
		kept++
	}
	p.n = kept
	return best
}

// bounds bounds the value of a move for the mover from bounds of the child.
func (m *move) bounds(lo, hi int) (atLeast, atMost int) {
	k := int(m.taken)
	atLeast, atMost = -k-hi, -k-lo
	if m.price == never {
		return atLeast, atMost
	}
	// min(-K-V, h-K+V) rises up to V = -h/2 and falls after it.
	h := int(m.price)
	return min(-k-hi, -k-lo, h-k+lo, h-k+hi), min(-k-lo, h-k+hi, h/2-k-(h/2+lo)&1)
}

var ETC, _ = strconv.Atoi(os.Getenv("ETC"))
