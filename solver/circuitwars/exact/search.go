package exact

import (
	"sync/atomic"

	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// shared is what the workers of one solve have in common.
type shared struct {
	table *tt.Table
	stop  *atomic.Bool // of the running solve
	opt   *Options

	active int      // threads at work
	marks  tt.Marks // of positions that they are at

	// For Status: bounds and nodes of the running solve, and the table once
	// it is there.
	lower, upper atomic.Int32
	nodes        atomic.Uint64
	live         atomic.Pointer[tt.Table]
}

// worker is one search thread: a type store and a stack of its own.
type worker struct {
	*shared
	types  *store
	plies  []ply
	nodes  uint64
	limit  uint64 // of nodes for the try that is under way; 0: none is
	mirror graph.MirrorFinder
	// proving: moves go by what they are worth at least, not by the middle of
	// their bounds. That makes proofs smaller far from the value.
	proving  bool
	restarts int  // how often the store of types was full
	abort    bool // unwinding: stopped, over, or the store is full
	over     bool // the limit is reached
}

// ply is the state of the search at one depth.
type ply struct {
	pos   position
	moves []move
}

// move is one child of the position at a ply.
type move struct {
	id     typeID // the type moved in
	option uint32 // offset in store.options
	score  int32  // for the order

	// For proofnumbers.go: the child's key, that of its numbers, and these.
	child, key graph.Key
	phi, delta uint32
}

const (
	stopCheck = 1 << 9       // nodes between looks at stop
	deferred  = -1 << 30     // score of a move that another thread is at
	searched  = deferred - 1 // of one that is done
	noMoves   = -1 << 14     // below every value
	// togetherEdges: below a position with fewer edges threads do not look at
	// what others are at. From 12 to 20 all is alike.
	togetherEdges = 16
)

// enter counts a node and looks whether the search must end.
func (w *worker) enter() {
	w.nodes++
	if w.limit > 0 && w.nodes > w.limit {
		w.abort, w.over = true, true
		return
	}
	if w.nodes&(stopCheck-1) == 0 {
		w.shared.nodes.Add(stopCheck)
		solver.Yield()
		if w.stop.Load() || w.opt.NodeLimit > 0 && w.nodes >= w.opt.NodeLimit {
			w.abort = true
		}
	}
}

// search decides whether the position at a depth is worth at least beta to
// the mover. The result is a lower bound of its value if it is at least beta,
// and an upper bound below beta if not. beta has the parity of the squares
// left. While unwinding the result means nothing.
func (w *worker) search(depth, beta int) int {
	if w.enter(); w.abort {
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
	w.conclude(pos.key, solver.Bounds{Lower: lower, Upper: upper}, move, w.nodes-start+1)
	return v
}

// mirrored returns an upper bound by the mirror theorem, if it applies to the
// position: each component has an automorphism of its own, or a twin to change
// places with.
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

// conclude keeps what was found out about a position by so many nodes.
func (w *worker) conclude(k graph.Key, b solver.Bounds, move uint16, nodes uint64) {
	if !w.opt.NoTable {
		w.keep(k, bound{int8(b.Lower), int8(b.Upper), move}, nodes)
	}
	if w.opt.Record != nil && nodes >= w.opt.RecordNodes {
		w.opt.Record(Proved{k, b, nodes})
	}
}

// expand searches the children of the position at a depth. The value is as in
// search; best names the move that reached beta.
func (w *worker) expand(depth, beta int, tableMove uint16) (value int, best uint16) {
	p := &w.plies[depth]
	if v, ok := w.improve(&p.pos, beta); ok || w.abort {
		return v, 0
	}
	value, best, decided := w.gather(p, beta, tableMove)
	if decided || w.abort {
		return value, best
	}
	if !w.opt.NoTable {
		if value, best, decided = w.lookAhead(p, beta, value); decided {
			return value, best
		}
	}
	s := w.types
	child := &w.plies[depth+1]
	// Threads divide the work by putting off what another one is at (ABDADA,
	// Weill 1996), but for the first move, which mostly is all: by the time that
	// nothing else is left the table may know it. All take the moves in the same
	// order, else they would try worse ones first. So two threads enter 3 to 7 %
	// more positions of 3x4 and 2x6 than one; before, they entered twice as many.
	together := w.active > 1 && p.pos.edges >= togetherEdges && !w.opt.NoTable
	for left := len(p.moves); left > 0; {
		m := p.next()
		o := &s.options[m.option]
		if !s.resolve(m.id, o) {
			w.abort = true
			return 0, 0
		}
		child.pos.after(s, &p.pos, m.id, o)
		g := int(o.gain)
		mark := w.marks.At(child.pos.key.Lo)
		if together {
			if m.score > deferred && left < len(p.moves) && mark.Load() > 0 {
				m.score = deferred
				continue
			}
			mark.Add(1)
		}
		v := g - w.search(depth+1, g-beta+2)
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
		if together { // another thread may have the answer
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

// improve completes types of the position that are met often, and says
// whether their references decide.
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

// signature names a move in a way that outlives the store: 16 bits of the
// type's key and the option's number, never 0.
func (s *store) signature(m *move) uint16 {
	t := &s.types[m.id]
	return uint16((t.key.Hi>>7+uint64(m.option-t.options)*0x9e3779b97f4a7c15)>>40) | 1
}
