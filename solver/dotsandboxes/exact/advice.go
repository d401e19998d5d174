package exact

import "math/bits"

// adviceEdges is the least number of free lines of a position that advice is looked up
// for: smaller ones seldom took so many expansions that they were kept.
const adviceEdges = 16

// advise puts first a move of p.shape, which has key k, that reaches t if the advice is
// right, and last those that then don't. Only the order is the advice's: what it says of a
// position is never taken for its value. next and l are scratch.
func (g *graph) advise(p *ply, k Key, t int, advice map[Key]Proved, next *shape, l *labels, use features) {
	if bits.OnesCount64(p.shape.mask) < adviceEdges {
		return
	}
	if _, ok := advice[k]; !ok { // then what it leads to is seldom there, and looking costs a key a move
		return
	}
	moves := p.moves[:p.n]
	var failed uint64
	for i, m := range moves {
		g.take(m.Child, next, use)
		a, ok := advice[l.key(next)]
		if !ok || next.mask == 0 {
			continue
		}
		// The mover gets min(-K-V, h-K+V); see try.
		take, refuse := -int(m.Taken)-t+2, t+int(m.Taken)-int(m.Price)
		switch {
		case int(a.Upper) < take && (m.Price == infinity || int(a.Lower) >= refuse):
			copy(moves[1:], moves[:i])
			moves[0] = m
			return
		case int(a.Lower) >= take || m.Price != infinity && int(a.Upper) < refuse:
			failed |= 1 << i
		}
	}
	var last [maxChains]Move
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
