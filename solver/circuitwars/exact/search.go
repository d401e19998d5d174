package exact

import (
	"sync/atomic"

	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

type shared struct {
	table *tt.Table
	stop  *atomic.Bool
	opt   *Options

	active int // number of threads in use
	marks  tt.Marks

	// For Status.
	lower, upper atomic.Int32
	nodes        atomic.Uint64
	live         atomic.Pointer[tt.Table]
}

type worker struct {
	*shared
	types  *store
	plies  []ply
	nodes  uint64
	limit  uint64 // value of nodes at which the current attempt ends; 0 for none
	mirror graph.MirrorFinder
	// proving orders moves by lower bounds instead of the middle of their bounds. This makes proofs
	// smaller if beta is far from the value.
	proving  bool
	restarts int
	abort    bool // results have no meaning
	over     bool // nodes is above limit
}

type ply struct {
	pos   position
	moves []move
}

type move struct {
	id     typeID // the type moved in
	option uint32 // offset in store.options
	score  int32  // order, highest first

	child graph.Key // set by lookAhead and weigh

	// For proofnumbers.go: numbers of child and their key.
	key graph.Key
	numbers
}

const (
	stopCheck     = 1 << 9       // nodes between checks of stop
	deferred      = -1 << 30     // score of a move that another thread is searching
	searched      = deferred - 1 // score of a searched move
	noMoves       = -1 << 14     // below every value
	togetherEdges = 16           // positions with fewer edges are not marked
)

// countNode counts a node and sets abort if the search must end: beyond w.limit nodes or, checked at
// every stopCheck-th node, if stop is set or Options.NodeLimit is reached.
func (w *worker) countNode() {
	w.nodes++
	if w.nodes&(stopCheck-1) == 0 {
		w.shared.nodes.Add(stopCheck)
		solver.Yield()
		if w.opt.Searched != nil {
			w.opt.Searched(stopCheck)
		}
		if w.stop.Load() || w.opt.NodeLimit > 0 && w.nodes >= w.opt.NodeLimit {
			w.abort = true
		}
	}
	if w.limit > 0 && w.nodes > w.limit && !w.abort {
		w.abort, w.over = true, true
	}
}

// search tests whether the value of the position at a depth is at least beta, which must have the
// parity of the squares left. It returns a lower bound of at least beta, or an upper bound below
// beta. If abort is set, the result has no meaning.
func (w *worker) search(depth, beta int) int {
	if w.countNode(); w.abort {
		return 0
	}
	p := &w.plies[depth]
	pos := &p.pos
	lower, upper := -pos.squares, pos.squares
	if !w.opt.NoBounds || pos.edges == 0 {
		f := size(pos.mask)
		lower, upper = f-pos.err, f+pos.err
	}
	if lower >= beta {
		return lower
	}
	if upper < beta {
		return upper
	}
	var best uint16
	if !w.opt.NoTable {
		if e, ok := w.bounds(pos.key); ok {
			lower, upper = max(lower, int(e.lower)), min(upper, int(e.upper))
			if lower >= beta {
				return lower
			}
			if upper < beta {
				return upper
			}
			best = e.move
		}
	}
	if !w.opt.NoMirror {
		if u, ok := w.mirrored(pos); ok && u < upper {
			if upper = u; upper < beta {
				return upper
			}
		}
	}
	start := w.nodes
	v, move := w.expand(depth, beta, best)
	if w.abort {
		return 0
	}
	if v >= beta {
		lower = v
	} else {
		upper = min(upper, v)
		v = upper
	}
	w.storeBounds(pos.key, solver.Bounds{Lower: lower, Upper: upper}, move, w.nodes-start+1)
	return v
}

// mirrored returns an upper bound of the value by the mirror theorem (package graph). ok is false
// if some component has no mirror automorphism and no equal component to be exchanged with.
func (w *worker) mirrored(p *position) (upper int, ok bool) {
	s := w.types
	for i := 0; i < len(p.types); i++ {
		id := p.types[i]
		if i+1 < len(p.types) && p.types[i+1] == id {
			i++
			continue
		}
		t := &s.types[id]
		if t.mirror == unknownMirror {
			t.mirror = noMirror
			if f, ok := w.mirror.Component(s.codeOf(id)); ok {
				t.mirror = int8(f)
			}
		}
		if t.mirror == noMirror {
			return 0, false
		}
		upper -= int(t.mirror)
	}
	return upper, true
}

// storeBounds stores the bounds of the position with key k in the table and passes them to
// Options.Record. move is a signature or 0; nodes is the number of nodes searched for the bounds.
func (w *worker) storeBounds(k graph.Key, b solver.Bounds, move uint16, nodes uint64) {
	if !w.opt.NoTable {
		w.setBounds(k, bound{int8(b.Lower), int8(b.Upper), move}, nodes)
	}
	if w.opt.Record != nil && nodes >= w.opt.RecordNodes {
		w.opt.Record(Proved{k, b, nodes})
	}
}

// expand decides about beta by the moves of the position at a depth. value is a bound as from search.
// best is the signature of the move that reached beta, 0 if there is none. tableMove is as in gather.
func (w *worker) expand(depth, beta int, tableMove uint16) (value int, best uint16) {
	p := &w.plies[depth]
	if v, ok := w.improve(&p.pos, beta); ok || w.abort {
		return v, 0
	}
	value, best, decided := w.gather(p, beta, tableMove)
	if !decided && !w.abort && !w.opt.NoTable {
		value, best, decided = w.lookAhead(p, beta, value)
	}
	if decided || w.abort {
		return value, best
	}
	return w.searchMoves(depth, beta, value)
}

// searchMoves searches the moves of the ply at a depth, best first, until one reaches beta. value
// is an upper bound of the position's other moves; the results are as in expand.
//
// Threads divide the work by deferring moves that another thread is searching (ABDADA, Weill 1996),
// except the first move, which usually decides. All threads use the same move order.
func (w *worker) searchMoves(depth, beta, value int) (int, uint16) {
	s, p := w.types, &w.plies[depth]
	child := &w.plies[depth+1]
	together := w.active > 1 && p.pos.edges >= togetherEdges && !w.opt.NoTable
	for left := len(p.moves); left > 0; {
		m := p.bestMove()
		o := &s.options[m.option]
		if !s.resolve(m.id, o) {
			w.abort = true
			return 0, 0
		}
		child.pos.after(s, &p.pos, m.id, o)
		mark := w.marks.At(child.pos.key.Lo)
		if together {
			if m.score > deferred && left < len(p.moves) && mark.Load() > 0 {
				m.score = deferred
				continue
			}
			mark.Add(1)
		}
		gain := int(o.gain)
		v := gain - w.search(depth+1, gain-beta+2)
		if together {
			mark.Add(-1)
		}
		if w.abort {
			return 0, 0
		}
		m.score = searched
		left--
		if v >= beta {
			return v, s.signature(m)
		}
		value = max(value, v)
		if together { // another thread may have decided
			switch e, ok := w.bounds(p.pos.key); {
			case ok && int(e.lower) >= beta:
				return int(e.lower), e.move
			case ok && int(e.upper) < beta:
				return int(e.upper), 0
			}
		}
	}
	return value, 0
}

// improve counts a visit of each type of the position and tries to complete those that are due. If
// the new static bounds of the position decide about beta, decided is true and value is the bound.
// improve sets abort if the type store is full.
func (w *worker) improve(pos *position, beta int) (value int, decided bool) {
	if w.opt.NoBounds {
		return 0, false
	}
	s := w.types
	changed := false
	for _, id := range pos.types {
		if t := &s.types[id]; t.expanded && !t.complete && !t.hot && s.visit(id) {
			changed = true
		}
	}
	if s.full {
		w.abort = true
		return 0, false
	}
	if !changed {
		return 0, false
	}
	pos.measure(s)
	f := size(pos.mask)
	if lower := f - pos.err; lower >= beta {
		return lower, true
	}
	upper := f + pos.err
	return upper, upper < beta
}

// signature returns a hash of a move, never 0, that does not depend on the store.
func (s *store) signature(m *move) uint16 {
	t := &s.types[m.id]
	return uint16((t.key.Hi>>7+uint64(m.option-t.options)*0x9e3779b97f4a7c15)>>40) | 1
}
