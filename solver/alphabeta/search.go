package alphabeta

import (
	"sync/atomic"
)

// shared is what the workers of one solve have in common.
type shared struct {
	table *table
	stop  atomic.Bool
	opt   *Options
}

// worker is one search thread: a type store and a stack of its own.
type worker struct {
	*shared
	types  *store
	number int // among the threads
	plies  []ply
	nodes  uint64
	mirror mirrorSearch
	abort  bool // unwinding: stopped, or the store is full
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
	lower  int16  // static bounds of what the move is worth to the mover
	upper  int16
	score  int32 // for the order
}

const (
	stopCheck = 1 << 9 // nodes between looks at stop
	minScore  = -1 << 30
	// lookAheadEdges: positions with fewer edges are not worth asking the
	// table for all children. A third less time than never, nothing gained by
	// less than 20.
	lookAheadEdges = 20
)

// search decides whether the position at a depth is worth at least beta to
// the mover. The result is a lower bound of its value if it is at least beta,
// and an upper bound below beta if not. beta has the parity of the squares
// left. While unwinding the result means nothing.
func (w *worker) search(depth, beta int) int {
	w.nodes++
	if w.nodes&(stopCheck-1) == 0 && (w.stop.Load() || w.opt.NodeLimit > 0 && w.nodes >= w.opt.NodeLimit) {
		w.abort = true
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
		if e, ok := w.table.get(pos.key); ok {
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
	if !w.opt.NoTable {
		w.table.put(pos.key, bound{int8(lower), int8(upper), move, workOf(w.nodes - start + 1)})
	}
	if n := w.nodes - start + 1; w.opt.Record != nil && n >= w.opt.RecordNodes {
		w.opt.Record(Proved{pos.key, lower, upper, n})
	}
	return v
}

// expand searches the children of the position at a depth.
func (w *worker) expand(depth, beta int, tableMove uint16) (value int, best uint16) {
	p := &w.plies[depth]
	pos := &p.pos
	s := w.types
	moves := p.moves[:0]
	bestUpper := -1 << 14
	changed := false
	for _, id := range pos.types {
		if t := &s.types[id]; t.expanded && !t.complete && !t.hot && s.visit(id) {
			changed = true
		}
	}
	if s.full {
		w.abort = true
		return 0, 0
	}
	if changed {
		pos.measure(s)
		f := size(pos.mask)
		if l := f - pos.err; l >= beta {
			return l, 0
		}
		if u := f + pos.err; u < beta {
			return u, 0
		}
	}
	for i, id := range pos.types {
		if i > 0 && pos.types[i-1] == id {
			continue
		}
		if !s.expand(id) {
			w.abort = true
			return 0, 0
		}
		t := &s.types[id]
		if !t.complete && t.epoch != s.epoch {
			s.refresh(id)
		}
		mask, err := pos.mask^t.refs[0].mask, pos.err-int(t.refs[0].err)
		for j := range uint32(t.nOptions) {
			o := &s.options[t.options+j]
			var lo, hi int
			if w.opt.NoBounds {
				left := pos.squares - int(o.gain)
				lo, hi = int(o.gain)-left, int(o.gain)+left
			} else {
				f, e := size(mask^o.mask), err+int(o.err)
				lo, hi = int(o.gain)-f-e, int(o.gain)-f+e
				if o.offer > 0 {
					hi = min(hi, f+e-2*int(o.offer))
				}
			}
			if lo >= beta {
				return lo, moveSignature(t, j)
			}
			if hi < beta {
				bestUpper = max(bestUpper, hi)
				continue
			}
			score := int32(lo+hi)<<10 + int32(o.order)
			if w.number > 0 {
				// Threads that share a table must not all do the same.
				score += int32(uint32(o.order)+j*uint32(w.number)) & 7
			}
			if tableMove != 0 && moveSignature(t, j) == tableMove {
				score = 1 << 29
			}
			moves = append(moves, move{id, t.options + j, int16(lo), int16(hi), score})
		}
	}
	p.moves = moves
	if pos.edges >= lookAheadEdges && !w.opt.NoTable {
		// Ask the table for every child before searching any: one of them may
		// decide, and those that can't need not be looked at again.
		n := 0
		for i := range moves {
			m := &moves[i]
			o := &s.options[m.option]
			if o.nKids != unresolved {
				if e, ok := w.table.get(pos.keyAfter(s, m.id, o)); ok {
					g := int(o.gain)
					if lo := g - int(e.upper); lo >= beta {
						return lo, moveSignature(&s.types[m.id], m.option-s.types[m.id].options)
					}
					if hi := g - int(e.lower); hi < beta {
						bestUpper = max(bestUpper, hi)
						continue
					}
				}
			}
			moves[n] = *m
			n++
		}
		moves = moves[:n]
		p.moves = moves
	}
	child := &w.plies[depth+1]
	value = bestUpper
	for range moves {
		at, top := 0, int32(minScore-1)
		for i := range moves {
			if moves[i].score > top {
				at, top = i, moves[i].score
			}
		}
		m := &moves[at]
		m.score = minScore - 1
		o := &s.options[m.option]
		if !s.resolve(m.id, o) {
			w.abort = true
			return 0, 0
		}
		child.pos.after(s, pos, m.id, o)
		g := int(o.gain)
		v := g - w.search(depth+1, g-beta+2)
		if w.abort {
			return 0, 0
		}
		if v >= beta {
			return v, moveSignature(&s.types[m.id], m.option-s.types[m.id].options)
		}
		value = max(value, v)
	}
	return value, 0
}

// moveSignature names a move in a way that outlives the store: 16 bits of the
// type's key and the option's number, never 0.
func moveSignature(t *typeInfo, option uint32) uint16 {
	return uint16((t.key.Hi>>7+uint64(option)*0x9e3779b97f4a7c15)>>40) | 1
}
