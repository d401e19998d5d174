package exact

import (
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// Proof-number search. Whether a position is worth at least beta is proved by
// one good move for the side that claims it and by all moves of the other, and
// what that costs depends on which good move is taken: on tails of 48 free
// segments the null-window search alone finds a move that proves at once in
// more than 99.8 % of the nodes that have one, and still proofs of a few
// hundred positions hide among trees of half a million. So the first plies are
// searched best-first, by df-pn (Nagai 2002): every position has two numbers,
//
//	phi    how much is at least left to do to prove that it is worth beta,
//	delta  how much to prove that it is not,
//
// and the search goes on where they are least, as long as they stay within
// limits that say that nothing elsewhere is cheaper. What is proved is proved
// by the bounds of the positions below, as in search; the numbers only choose
// what is looked at next, so they may be anything without making a result
// wrong.
//
//   - A position whose moves are known is judged by their number that static
//     bounds leave open (mobility): all of them must be refuted.
//   - delta is the greatest phi of the children plus one for each further open
//     one, not their sum (weak proof numbers, Ueda and others 2008): sums count
//     what positions have in common again and again.
//   - A child may become a quarter dearer than the second best before the
//     search leaves it (Pawlewicz and Lew 2007).
//   - A position that is met first is tried by search with a few nodes, and
//     those with few segments are left to search altogether: looking at all
//     children costs a hundred times a node of the null-window search.
//
// Threads share the numbers through the table, and mark what they are at: a
// marked position looks dearer to the others (Kaneko 2010).

const (
	// proofEdges: positions with fewer edges are left to search. 30 is as good.
	proofEdges = 26
	// proofTry is how many nodes search may try a new position with. Without
	// tries a third more time, with 400 nodes twice as much.
	proofTry = 50
	// unproved is above every proof number.
	unproved = 1<<numberBits - 1
	// numberBits: two numbers fill an entry of the transposition table.
	numberBits = tt.DataBits / 2
)

// numbers are a proof number and a disproof number, in the transposition table
// under a key of their own for each beta.
type numbers struct{ phi, delta uint32 } // numberBits each

// numbersKey is where the numbers of a position stand.
func numbersKey(k graph.Key, beta int) graph.Key {
	x := uint64(beta+3*graph.MaxSquares) * 0x9e3779b97f4a7c15
	return graph.Key{Hi: k.Hi ^ x, Lo: k.Lo + x*0xd6e8feb86659fd93}
}

func (n numbers) pack() uint64 { return uint64(n.phi) | uint64(n.delta)<<numberBits }

func unpackNumbers(d uint64) numbers {
	return numbers{phi: uint32(d & unproved), delta: uint32(d >> numberBits)}
}

// decide answers what search does, best-first where that pays.
func (w *worker) decide(beta int) int {
	if w.opt.NoProof || w.opt.NoTable || w.opt.NoBounds {
		return w.search(0, beta)
	}
	w.proving = true
	defer func() { w.proving = false }()
	_, _, v := w.prove(0, beta, unproved, unproved)
	return v
}

// prove works on the question whether the position at a depth is worth at
// least beta until it is answered, or phi or delta reaches its limit. phi 0
// means that it is, delta 0 that it is not; then the value is what search
// returns. Otherwise it means nothing, and so does all while unwinding.
func (w *worker) prove(depth, beta int, limitPhi, limitDelta uint32) (phi, delta uint32, value int) {
	p := &w.plies[depth]
	pos := &p.pos
	if pos.edges < w.opt.proofEdges {
		return answered(w.search(depth, beta), beta)
	}
	b := w.enclosed(pos, beta)
	if b.Lower >= beta {
		return answered(b.Lower, beta)
	}
	if b.Upper < beta {
		return answered(b.Upper, beta)
	}
	key := numbersKey(pos.key, beta)
	start, before := w.nodes, uint64(0)
	if _, known := w.table.Get(key.Hi, key.Lo); known > 0 {
		before = tt.Nodes(known)
	} else if v, ok := w.attempt(depth, beta); ok {
		return answered(v, beta)
	}
	if w.abort {
		return 0, 0, 0
	}
	solver.Yield()
	if w.enter(); w.abort || w.stop.Load() { // a node here takes as long as hundreds in search
		w.abort = true
		return 0, 0, 0
	}
	if v, ok := w.improve(pos, beta); w.abort {
		return 0, 0, 0
	} else if ok {
		return answered(v, beta)
	}
	value, decided := w.weigh(depth, beta)
	for !w.abort && !decided && len(p.moves) > 0 {
		at, second := 0, uint32(0)
		phi, delta, at, second = w.cheapest(p, limitPhi)
		if phi >= limitPhi || delta >= limitDelta {
			w.table.Put(key.Hi, key.Lo, numbers{phi, delta}.pack(), tt.Work(before+w.nodes-start))
			return phi, delta, 0
		}
		most := uint32(unproved)
		if limitDelta < unproved {
			most = limitDelta - uint32(len(p.moves)-1)
		}
		value, decided = w.proveMove(depth, beta, at, value, most, min(limitPhi, second+max(1, second/4)))
	}
	if w.abort {
		return 0, 0, 0
	}
	if decided {
		b.Lower = max(b.Lower, value)
		value = b.Lower
	} else {
		b.Upper = min(b.Upper, value)
		value = b.Upper
	}
	w.conclude(pos.key, b, 0, before+w.nodes-start)
	return answered(value, beta)
}

// enclosed are the bounds of a position before any search, as far as they
// decide about beta.
func (w *worker) enclosed(pos *position, beta int) solver.Bounds {
	b := solver.Bounds{Lower: size(pos.mask) - pos.err, Upper: size(pos.mask) + pos.err}
	if e, ok := w.bounds(pos.key); ok {
		b.Lower, b.Upper = max(b.Lower, int(e.lower)), min(b.Upper, int(e.upper))
	}
	if !w.opt.NoMirror && b.Lower < beta && b.Upper >= beta {
		if u, ok := w.mirrored(pos); ok {
			b.Upper = min(b.Upper, u)
		}
	}
	return b
}

// attempt searches a position that is met first with a few nodes; ok says that
// they were enough.
func (w *worker) attempt(depth, beta int) (value int, ok bool) {
	w.limit = w.nodes + w.opt.proofTry
	value = w.search(depth, beta)
	w.limit = 0
	if w.over && !w.types.full {
		w.over, w.abort = false, false
		return 0, false
	}
	return value, !w.abort
}

// proveMove works on one child of the position at a depth, within limits of its
// phi and delta. value and decided are as in gather.
func (w *worker) proveMove(depth, beta, at, value int, mostPhi, mostDelta uint32) (int, bool) {
	p := &w.plies[depth]
	m := &p.moves[at]
	o := &w.types.options[m.option]
	g := int(o.gain)
	w.plies[depth+1].pos.after(w.types, &p.pos, m.id, o)
	mark := w.marks.At(m.key.Lo)
	mark.Add(1)
	phi, delta, v := w.prove(depth+1, g-beta+2, mostPhi, mostDelta)
	mark.Add(-1)
	switch {
	case w.abort:
	case delta == 0:
		return g - v, true
	case phi == 0:
		value = max(value, g-v)
		p.drop(at)
	default:
		m.phi, m.delta = phi, delta
		if w.active > 1 {
			return w.refresh(p, beta, value)
		}
	}
	return value, false
}

// answered is the result of prove for a value that search would return.
func answered(v, beta int) (phi, delta uint32, value int) {
	if v >= beta {
		return 0, unproved, v
	}
	return unproved, 0, v
}

// weigh lists the moves of the position at a depth that may reach beta, with
// the numbers of their children. decided and value are as in gather.
func (w *worker) weigh(depth, beta int) (value int, decided bool) {
	p := &w.plies[depth]
	value, _, decided = w.gather(p, beta, 0)
	if decided || w.abort {
		return value, decided
	}
	s := w.types
	child := &w.plies[depth+1].pos
	n := 0
next:
	for i := range p.moves {
		m := p.moves[i]
		o := &s.options[m.option]
		if !s.resolve(m.id, o) {
			w.abort = true
			return 0, false
		}
		g := int(o.gain)
		key := p.pos.keyAfter(s, m.id, o)
		b := g - beta + 2
		m.child, m.key = key, numbersKey(key, b)
		for j := range p.moves[:n] {
			if p.moves[j].key == m.key {
				continue next // another way to the same question
			}
		}
		if e, ok := w.bounds(key); ok {
			if int(e.upper) < b {
				return g - int(e.upper), true
			}
			if int(e.lower) >= b {
				value = max(value, g-int(e.lower))
				continue
			}
		}
		if d, known := w.table.Get(m.key.Hi, m.key.Lo); known > 0 {
			e := unpackNumbers(d)
			m.phi, m.delta = e.phi, e.delta
		} else {
			child.after(s, &p.pos, m.id, o)
			open, v := w.replies(child, b)
			switch {
			case w.abort:
				return 0, false
			case open > 0:
				m.phi, m.delta = 1, uint32(open)
			case v >= b:
				value = max(value, g-v)
				continue
			default:
				return g - v, true
			}
		}
		p.moves[n] = m
		n++
	}
	p.moves = p.moves[:n]
	return value, false
}

// cheapest finds the child that is proved most cheaply not to be worth what it
// must, the delta of the second best, and the numbers of the position.
func (w *worker) cheapest(p *ply, limitPhi uint32) (phi, delta uint32, at int, second uint32) {
	least, most := uint32(unproved), uint32(0)
	phi, second = unproved, unproved
	for i := range p.moves {
		m := &p.moves[i]
		phi, most = min(phi, m.delta), max(most, m.phi)
		d := m.delta
		if w.active > 1 && w.marks.At(m.key.Lo).Load() > 0 {
			// But not as dear as a child that has reached the limit: that one
			// would come back at once, and again, as it was.
			d = max(d, min(d+d/2+2, limitPhi-1))
		}
		if d < least || d == least && m.score > p.moves[at].score {
			at, least, second = i, d, least
		} else {
			second = min(second, d)
		}
	}
	return phi, min(most+uint32(len(p.moves)-1), unproved-1), at, second
}

// refresh takes over what other threads have found out about the children.
func (w *worker) refresh(p *ply, beta, value int) (int, bool) {
	for i := 0; i < len(p.moves); i++ {
		m := &p.moves[i]
		g := int(w.types.options[m.option].gain)
		if e, ok := w.bounds(m.child); ok {
			if g-int(e.upper) >= beta {
				return g - int(e.upper), true
			}
			if g-int(e.lower) < beta {
				value = max(value, g-int(e.lower))
				p.drop(i)
				i--
				continue
			}
		}
		if d, known := w.table.Get(m.key.Hi, m.key.Lo); known > 0 {
			e := unpackNumbers(d)
			m.phi, m.delta = e.phi, e.delta
		}
	}
	return value, false
}

// drop takes a move out of the list.
func (p *ply) drop(i int) {
	last := len(p.moves) - 1
	p.moves[i] = p.moves[last]
	p.moves = p.moves[:last]
}

// replies counts the moves of a position that static bounds leave open. If
// they leave none, or decide that a move reaches beta, open is 0 and the value
// as in search.
func (w *worker) replies(pos *position, beta int) (open, value int) {
	s := w.types
	f := size(pos.mask)
	if f-pos.err >= beta {
		return 0, f - pos.err
	}
	if f+pos.err < beta {
		return 0, f + pos.err
	}
	value = noMoves
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
			lo, hi := s.options[t.options+j].bounds(mask, err)
			if lo >= beta {
				return 0, lo
			}
			if hi >= beta {
				open++
			} else {
				value = max(value, hi)
			}
		}
	}
	return open, value
}
