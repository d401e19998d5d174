package exact

import "endwise/solver/circuitwars/graph"

// gather sets the moves of a position that can reach beta according to static bounds. If
// one certainly does, decided is true and the value a lower bound. Otherwise value is an
// upper bound of the moves that cannot.
func (w *worker) gather(p *ply, beta int, tableMove uint16) (value int, best uint16, decided bool) {
	s, pos := w.types, &p.pos
	p.moves = p.moves[:0]
	value = noMoves
	for i, id := range pos.types {
		if i > 0 && pos.types[i-1] == id {
			continue
		}
		if !s.expand(id) {
			w.abort = true
			return 0, 0, false
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

// next returns the unsearched move with the highest score. There must be one.
func (p *ply) next() *move {
	at, top := 0, int32(searched)
	for i := range p.moves {
		if p.moves[i].score > top {
			at, top = i, p.moves[i].score
		}
	}
	return &p.moves[at]
}

// bounds returns static bounds of a move by an option. mask and err are those of the rest
// of the position.
func (o *option) bounds(mask uint64, err int) (lower, upper int) {
	f, e := size(mask^o.mask), err+int(o.err)
	lower, upper = int(o.gain)-f-e, int(o.gain)-f+e
	if o.threat > 0 {
		// The opponent can capture the threatened squares immediately, from a
		// component whose error is its number of squares.
		upper = min(upper, f+e-2*int(o.threat))
	}
	return lower, upper
}

// lookAhead probes the table for every child before one is searched (enhanced
// transposition cutoffs): a child may decide, and those that cannot reach beta are
// dropped. All entries are prefetched first, so that the memory accesses overlap.
func (w *worker) lookAhead(p *ply, beta, value int) (int, uint16, bool) {
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

// rank orders the moves of a component whose static bounds are equal, highest first.
// The second order omits the number of borders.
func (f *threats) rank(c *graph.Cut, second bool) int8 {
	d := degree(f.code, c.A)
	z := int(f.depth[c.A])
	if c.B != graph.Ground {
		d += degree(f.code, c.B)
		z = min(z, int(f.depth[c.B])) + 1
	}
	if second {
		d = 0
	}
	return int8(2*d + z)
}

// degree returns the number of edges of vertex v.
func degree(code graph.Code, v uint8) int {
	n := 0
	for i := range 4 {
		if code.Border(int(v), i) != graph.None {
			n++
		}
	}
	return n
}
