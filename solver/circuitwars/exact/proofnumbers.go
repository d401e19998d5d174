package exact

import (
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// Proof-number search. A proof that a value is at least beta needs one good move for the side that
// claims it, and all moves of the other side. Its size depends on which good moves are chosen. So
// the first plies are searched best-first, by df-pn (Nagai 2002). Each position has two numbers,
//
//	phi    a lower bound of the work to prove that the value is at least beta,
//	delta  a lower bound of the work to disprove it,
//
// and the search continues below the child where they are least, up to limits beyond which another
// child is cheaper. The numbers only direct the search; bounds are proved as in search.
//
//   - The first delta of a position is the number of its moves that static bounds leave
//     open (mobility), because all of them must be refuted.
//   - delta is the maximum phi of the children plus one for each further open child, not their
//     sum (weak proof numbers, Ueda and others 2008): sums count common descendants repeatedly.
//   - The search leaves a child when the child's delta exceeds that of the second-best child
//     by a quarter (Pawlewicz and Lew 2007).
//   - A new position is first searched with a few nodes, and positions with few segments are
//     left to search, because search is faster at small proofs.
//
// Threads share the numbers in the table. They mark the positions they are working on; a marked
// position has a higher delta for the other threads (Kaneko 2010).

const (
	proofEdges = 20                // positions with fewer edges are left to search
	proofTry   = 50                // number of nodes for the first attempt by search
	unproved   = 1<<numberBits - 1 // above every finite proof number
	numberBits = tt.DataBits / 2   // two numbers fill an entry of the transposition table
)

// numbers are phi and delta of a position for one beta, of numberBits each, stored by numbersKey.
type numbers struct{ phi, delta uint32 }

func numbersKey(k graph.Key, beta int) graph.Key {
	x := uint64(beta+3*graph.MaxSquares) * 0x9e3779b97f4a7c15
	return graph.Key{Hi: k.Hi ^ x, Lo: k.Lo + x*0xd6e8feb86659fd93}
}

func (n numbers) pack() uint64 { return uint64(n.phi) | uint64(n.delta)<<numberBits }

func unpackNumbers(d uint64) numbers {
	return numbers{phi: uint32(d & unproved), delta: uint32(d >> numberBits)}
}

// decide is search(0, beta), by proof-number search unless a technique that this needs is disabled.
func (w *worker) decide(beta int) int {
	if w.opt.NoProof || w.opt.NoTable || w.opt.NoBounds {
		return w.search(0, beta)
	}
	_, _, v := w.prove(0, beta, unproved, unproved)
	return v
}

// prove searches the position at a depth until the claim that its value is at least beta is proved
// or disproved, or phi or delta reaches its limit. phi is 0 if the claim is proved, and delta is 0 if
// it is disproved. In both cases value is a bound as from search; otherwise it has no meaning. If
// abort is set, no result has a meaning.
func (w *worker) prove(depth, beta int, limitPhi, limitDelta uint32) (phi, delta uint32, value int) {
	p := &w.plies[depth]
	pos := &p.pos
	if pos.edges < w.opt.proofEdges {
		return decidedBy(w.search(depth, beta), beta)
	}
	b := w.boundsOf(pos, beta)
	if b.Lower >= beta {
		return decidedBy(b.Lower, beta)
	}
	if b.Upper < beta {
		return decidedBy(b.Upper, beta)
	}
	key := numbersKey(pos.key, beta)
	start := w.nodes
	_, work := w.table.Get(key.Hi, key.Lo)
	before := tt.Nodes(work) // nodes of earlier visits
	if v, ok := w.beforeMoves(depth, beta, work == 0); w.abort {
		return 0, 0, 0
	} else if ok {
		return decidedBy(v, beta)
	}
	value, decided := w.weigh(depth, beta)
	for !w.abort && !decided && len(p.moves) > 0 {
		at, second := 0, uint32(0)
		phi, delta, at, second = w.cheapest(p, limitPhi)
		if phi >= limitPhi || delta >= limitDelta {
			w.table.Put(key.Hi, key.Lo, numbers{phi, delta}.pack(), tt.Work(before+w.nodes-start))
			return phi, delta, 0
		}
		// delta is the maximum phi of the children plus the number of children minus one. It
		// reaches its limit when this child's phi reaches childPhi.
		childPhi := uint32(unproved)
		if limitDelta < unproved {
			childPhi = limitDelta - uint32(len(p.moves)-1)
		}
		childDelta := min(limitPhi, second+max(1, second/4))
		value, decided = w.proveMove(depth, beta, at, value, childPhi, childDelta)
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
	w.storeBounds(pos.key, b, 0, before+w.nodes-start)
	return decidedBy(value, beta)
}

// beforeMoves tries to decide about beta before the moves of a position are weighed. first means
// that the table has no numbers of the position yet. v is a bound as from search if ok is true. If
// abort is set, no result has a meaning.
func (w *worker) beforeMoves(depth, beta int, first bool) (v int, ok bool) {
	if first {
		if v, ok := w.attempt(depth, beta); ok || w.abort {
			return v, ok
		}
	}
	solver.Yield()
	if w.countNode(); w.abort || w.stop.Load() {
		w.abort = true
		return 0, false
	}
	return w.improve(&w.plies[depth].pos, beta)
}

// boundsOf returns bounds of a position without a search: the static bounds, tightened by those in
// the table and, if these do not decide about beta, by the mirror theorem.
func (w *worker) boundsOf(pos *position, beta int) solver.Bounds {
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

// attempt calls search for the position at a depth with at most w.opt.proofTry nodes. ok is false
// if these nodes do not suffice or abort is set.
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

// proveMove calls prove, with the limits childPhi and childDelta, for the child after the move with
// index at of the position at a depth. It then updates the move's numbers, or removes the move if it
// cannot reach beta. value and newValue are upper bounds of all moves removed before and after the
// call. If a move reaches beta, decided is true and newValue is its lower bound. If abort is set,
// the moves have not changed.
func (w *worker) proveMove(
	depth, beta, at, value int, childPhi, childDelta uint32,
) (newValue int, decided bool) {
	p := &w.plies[depth]
	m := &p.moves[at]
	o := &w.types.options[m.option]
	g := int(o.gain)
	w.plies[depth+1].pos.after(w.types, &p.pos, m.id, o)
	mark := w.marks.At(m.key.Lo)
	mark.Add(1)
	// The move reaches beta if the child's value is at most g-beta: by parity, less than g-beta+2.
	phi, delta, v := w.prove(depth+1, g-beta+2, childPhi, childDelta)
	mark.Add(-1)
	switch {
	case w.abort:
	case delta == 0:
		return g - v, true
	case phi == 0:
		value = max(value, g-v)
		p.drop(at)
	default:
		m.numbers = numbers{phi, delta}
		if w.active > 1 {
			return w.refreshMoves(p, beta, value)
		}
	}
	return value, false
}

// decidedBy returns the results of prove for a bound v that decides about beta.
func decidedBy(v, beta int) (phi, delta uint32, value int) {
	if v >= beta {
		return 0, unproved, v
	}
	return unproved, 0, v
}

// weigh gathers the moves that can reach beta in the position at a depth, one for each child, and
// sets their child, key, phi and delta. value, decided and abort are as in gather.
func (w *worker) weigh(depth, beta int) (value int, decided bool) {
	p := &w.plies[depth]
	value, _, decided = w.gather(p, beta, 0)
	if decided || w.abort {
		return value, decided
	}
	s := w.types
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
		childBeta := g - beta + 2
		m.child = p.pos.keyAfter(s, m.id, o)
		m.key = numbersKey(m.child, childBeta)
		for j := range p.moves[:n] {
			if p.moves[j].key == m.key {
				continue next // transposition
			}
		}
		open, v := w.weighMove(depth, &m, childBeta)
		switch {
		case w.abort:
			return 0, false
		case open:
			p.moves[n] = m
			n++
		case v < childBeta:
			return g - v, true
		default:
			value = max(value, g-v)
		}
	}
	p.moves = p.moves[:n]
	return value, false
}

// weighMove sets phi and delta of m, a move of the position at a depth; childBeta is the child's beta.
// If the child needs no search, open is false and v is a bound as from search. abort is as in gather.
func (w *worker) weighMove(depth int, m *move, childBeta int) (open bool, v int) {
	switch e, ok := w.bounds(m.child); {
	case ok && int(e.upper) < childBeta:
		return false, int(e.upper)
	case ok && int(e.lower) >= childBeta:
		return false, int(e.lower)
	}
	if d, work := w.table.Get(m.key.Hi, m.key.Lo); work > 0 {
		m.numbers = unpackNumbers(d)
		return true, 0
	}
	child := &w.plies[depth+1].pos
	child.after(w.types, &w.plies[depth].pos, m.id, &w.types.options[m.option])
	moves, v := w.replies(child, childBeta)
	m.numbers = numbers{1, uint32(moves)}
	return moves > 0, v
}

// cheapest returns phi and delta of the position, the index at of the child with the least delta, and
// second, the least delta of the other children (unproved if there are none). Of children with equal
// deltas it takes the one with the higher score. For at and second, but not for phi, a child that
// another thread may be searching counts with a delta raised to at most limitPhi-1. There must be a
// child. limitPhi is as in prove.
func (w *worker) cheapest(p *ply, limitPhi uint32) (phi, delta uint32, at int, second uint32) {
	least, most := uint32(unproved), uint32(0)
	phi, second = unproved, unproved
	for i := range p.moves {
		m := &p.moves[i]
		phi, most = min(phi, m.delta), max(most, m.phi)
		d := m.delta
		if w.active > 1 && w.marks.At(m.key.Lo).Load() > 0 {
			// A raised delta stays below limitPhi. Otherwise an unmarked child with a delta of limitPhi
			// could be chosen, from which prove returns without progress.
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

// refreshMoves replaces the children's numbers by those that other threads stored in the table, and
// removes the moves that cannot reach beta. value and the results are as in proveMove.
func (w *worker) refreshMoves(p *ply, beta, value int) (newValue int, decided bool) {
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
		if d, work := w.table.Get(m.key.Hi, m.key.Lo); work > 0 {
			m.numbers = unpackNumbers(d)
		}
	}
	return value, false
}

// drop removes move i. The last move takes its index.
func (p *ply) drop(i int) {
	last := len(p.moves) - 1
	p.moves[i] = p.moves[last]
	p.moves = p.moves[:last]
}

// replies returns the number open of moves that can reach beta according to their static bounds. It
// is also 0 if these decide about beta; then value is a bound as from search. abort is as in gather.
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
	for i := range pos.types {
		t, mask, err := w.expandComponent(pos, i)
		if w.abort {
			return 0, 0
		}
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
