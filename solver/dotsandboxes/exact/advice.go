package exact

import "math/bits"

// adviceEdges is the least number of free lines of a position that advice is looked up
// for: smaller ones seldom took so many expansions that they were kept.
const adviceEdges = 16

// advise puts first a move of p.shape that reaches t if the advice is right, and last
// those that then don't. Only the order is the advice's: what it says of a position is
// never taken for its value.
func (w *worker) advise(depth int, p *ply, k Key, t int) {
	if bits.OnesCount64(p.shape.mask) < adviceEdges {
		return
	}
	if _, ok := w.advice[k.name()]; !ok { // then what it leads to is seldom there, and looking costs a key a move
		return
	}
	next := &w.plies[depth+1].shape
	moves := p.moves[:p.n]
	var failed uint64
	for i, m := range moves {
		w.g.take(m.child, next, w.use)
		child := w.labels.key(next)
		a, ok := w.advice[child.name()]
		if !ok || next.mask == 0 {
			continue
		}
		// The mover gets min(-K-V, h-K+V); see try.
		take, refuse := -int(m.taken)-t+2, t+int(m.taken)-int(m.price)
		switch {
		case int(a.Upper) < take && (m.price == infinity || int(a.Lower) >= refuse):
			copy(moves[1:], moves[:i])
			moves[0] = m
			return
		case int(a.Lower) >= take || m.price != infinity && int(a.Upper) < refuse:
			failed |= 1 << i
		}
	}
	var last [maxChains]move
	n, kept := 0, 0
	for i, m := range moves {
		if failed>>i&1 != 0 {
			last[n] = m
			n++
			continue
		}
		moves[kept] = m
		kept++
	}
	copy(moves[kept:], last[:n])
}

// name is a key as answers have it.
func (k Key) name() [2]uint64 { return [2]uint64{k.lo, k.hi} }
