package exact

import "endwise/solver/circuitwars/graph"

// gather sets p.moves to the moves of p.pos that can reach beta according to their static bounds,
// with scores for ordering. If the lower bound of a move is at least beta, decided is true, value is
// this bound, best is the move's signature, and p.moves is incomplete. Otherwise value is an upper
// bound of the moves that cannot reach beta (noMoves if there are none). tableMove is the signature
// of the move to search first, 0 for none. gather sets abort if the type store is full.
func (w *worker) gather(p *ply, beta int, tableMove uint16) (value int, best uint16, decided bool) {
	s, pos := w.types, &p.pos
	p.moves = p.moves[:0]
	value = noMoves
	for i, id := range pos.types {
		t, mask, err := w.expandComponent(pos, i)
		if w.abort {
			return 0, 0, false
		}
		for j := range uint32(t.nOptions) {
			o := &s.options[t.options+j]
			var lo, hi int
			if w.opt.NoBounds {
				left := pos.squares - int(o.gain)
				lo, hi = int(o.gain)-left, int(o.gain)+left
			} else {
				lo, hi = o.bounds(mask, err)
			}
			m := move{id: id, option: t.options + j, score: int32(lo+hi)<<10 + int32(o.order)}
			if w.proving {
				m.score = int32(lo)<<10 + int32(o.order)
			}
			if lo >= beta {
				return lo, s.signature(&m), true
			}
			if hi < beta {
				value = max(value, hi)
				continue
			}
			if tableMove != 0 && s.signature(&m) == tableMove {
				m.score = 1 << 29
			}
			p.moves = append(p.moves, m)
		}
	}
	return value, 0, false
}

var noOptions typeInfo

// expandComponent expands type i of a position. It returns the type, and the mask and error of the
// other components. If type i-1 is the same, it returns a type without options, so that equal moves
// are not repeated. It sets abort if the type store is full.
func (w *worker) expandComponent(pos *position, i int) (t *typeInfo, mask uint64, err int) {
	s, id := w.types, pos.types[i]
	if i > 0 && pos.types[i-1] == id {
		return &noOptions, 0, 0
	}
	if !s.expandType(id) {
		w.abort = true
		return nil, 0, 0
	}
	t = &s.types[id]
	if !t.complete && t.epoch != s.epoch {
		s.measureOptions(id)
	}
	return t, pos.mask ^ t.refs[0].mask, pos.err - int(t.refs[0].err)
}

// bestMove returns the unsearched move with the highest score. There must be one.
func (p *ply) bestMove() *move {
	at, top := 0, int32(searched)
	for i := range p.moves {
		if p.moves[i].score > top {
			at, top = i, p.moves[i].score
		}
	}
	return &p.moves[at]
}

// bounds returns static bounds of the value of a move by option o. mask and err are the sums over
// the other components of the position.
func (o *option) bounds(mask uint64, err int) (lower, upper int) {
	f, e := size(mask^o.mask), err+int(o.err)
	lower, upper = int(o.gain)-f-e, int(o.gain)-f+e
	if o.threat > 0 {
		// The opponent can capture the threatened squares. The error of their component is its
		// number of squares, so the capture also reduces the error.
		upper = min(upper, f+e-2*int(o.threat))
	}
	return lower, upper
}

// lookAhead probes the table for the children of all resolved options (enhanced transposition
// cutoffs), and removes the moves that cannot reach beta from p.moves. It prefetches all entries, so
// that the memory accesses overlap. value is gather's; the results are as gather's.
func (w *worker) lookAhead(p *ply, beta, value int) (newValue int, best uint16, decided bool) {
	s := w.types
	for i := range p.moves {
		m := &p.moves[i]
		if o := &s.options[m.option]; o.nKids != unresolved {
			m.child = p.pos.keyAfter(s, m.id, o)
			w.table.Touch(m.child.Lo)
		}
	}
	n := 0
	for i := range p.moves {
		m := &p.moves[i]
		o := &s.options[m.option]
		if o.nKids != unresolved {
			if e, ok := w.bounds(m.child); ok {
				g := int(o.gain)
				if lo := g - int(e.upper); lo >= beta {
					return lo, s.signature(m), true
				}
				if hi := g - int(e.lower); hi < beta {
					value = max(value, hi)
					continue
				}
			}
		}
		p.moves[n] = *m
		n++
	}
	p.moves = p.moves[:n]
	return value, 0, false
}

// rank returns the rank of a cut among the moves of a component with equal static bounds, highest
// first. It prefers edges far from the ground and, unless second is set, squares with many edges.
func (f *threats) rank(c *graph.Cut, second bool) int8 {
	degrees := degree(f.code, c.A)
	distance := int(f.depth[c.A])
	if c.B != graph.Ground {
		degrees += degree(f.code, c.B)
		distance = min(distance, int(f.depth[c.B])) + 1
	}
	if second {
		degrees = 0
	}
	return int8(2*degrees + distance)
}

func degree(code graph.Code, v uint8) int {
	n := 0
	for i := range 4 {
		if code.Border(int(v), i) != graph.None {
			n++
		}
	}
	return n
}
