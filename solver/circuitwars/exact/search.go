package exact

import (
	"sync/atomic"

	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// shared contains what the workers of a solver share.
type shared struct {
	table *tt.Table
	stop  *atomic.Bool // of the running solve
	opt   *Options

	active int      // number of threads searching
	marks  tt.Marks // of positions being searched

	// For Status: bounds and nodes of the running solve, and the table once it exists.
	lower, upper atomic.Int32
	nodes        atomic.Uint64
	live         atomic.Pointer[tt.Table]
}

// worker is one search thread with its own type store and stack.
type worker struct {
	*shared
	types  *store
	plies  []ply
	nodes  uint64
	limit  uint64 // of nodes for the current attempt; 0 if there is none
	mirror graph.MirrorFinder
	// proving orders moves by lower bounds instead of the middle of their bounds, which
	// makes proofs smaller if beta is far from the value.
	proving  bool
	restarts int  // number of times the type store was full
	abort    bool // stopped, over, or the store is full: results are meaningless
	over     bool // the limit of nodes is reached
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
	score  int32  // order, highest first

	// For proofnumbers.go: the keys of the child and of its numbers, and the numbers.
	child, key graph.Key
	phi, delta uint32
}

const (
	stopCheck = 1 << 9       // nodes between checks of stop
	deferred  = -1 << 30     // score of a move that another thread is searching
	searched  = deferred - 1 // score of a searched move
	noMoves   = -1 << 14     // below every value
	// togetherEdges is the number of edges below which threads ignore each other's marks.
	togetherEdges = 16
)

// enter counts a node and sets abort if the search must end.
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

// search tests whether the value of the position at a depth is at least beta, which must
// have the parity of the squares left. It returns a lower bound of at least beta or an
// upper bound below beta; after an abort the result has no meaning.
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

// mirrored returns an upper bound by the mirror theorem. The theorem applies if each
// component has a mirror automorphism or an equal component to be exchanged with.
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

// conclude stores the bounds of a position searched with the given nodes.
func (w *worker) conclude(k graph.Key, b solver.Bounds, move uint16, nodes uint64) {
	if !w.opt.NoTable {
		w.keep(k, bound{int8(b.Lower), int8(b.Upper), move}, nodes)
	}
	if w.opt.Record != nil && nodes >= w.opt.RecordNodes {
		w.opt.Record(Proved{k, b, nodes})
	}
}

// expand searches the children of the position at a depth. value is as in search; best is
// the signature of the move that reached beta.
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
	// Threads divide the work by deferring moves that another thread is searching
	// (ABDADA, Weill 1996), except the first move, which usually decides. By the time only
	// deferred moves are left, the table may contain their values. All threads use the
	// same move order, otherwise they would search worse moves first.
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
		if together { // another thread may have decided meanwhile
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

// improve tries to complete types of the position that occur often. decided reports
// whether the new references decide about beta.
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

// signature identifies a move independently of the store: 16 bits of the type's key and
// the option's number, never 0.
func (s *store) signature(m *move) uint16 {
	t := &s.types[m.id]
	return uint16((t.key.Hi>>7+uint64(m.option-t.options)*0x9e3779b97f4a7c15)>>40) | 1
}
