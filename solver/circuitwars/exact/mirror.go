package exact

import (
	"slices"

	"endwise/engine/grid"
	"endwise/solver/circuitwars/canon"
)

// The mirror theorem. Let a position have an automorphism s that is its own
// inverse, keeps the ground in place and moves every edge, and let it fix f
// squares. Then the second player, answering every edge e with s(e), holds
// the value to at most -f:
//
// If e is no bridge, s(e) is still there, and what is cut off in the end of
// the pair falls to the second player; what stays on the ground is invariant.
// If e is a bridge that cuts off C, then s(e) cuts off s(C), as large. Sets
// behind bridges are nested or disjoint, so C and s(C) are equal or disjoint.
// Equal would mean two bridges for one set, so they are disjoint, and s(e) is
// still there after C is gone: the answer scores as much. A fixed square lies
// in no such C, so the first player scores none. QED
//
// The half-turn of a 7x7 board fixes its middle square, the reflection in the
// diagonal one in every row, so player 2 wins 7x7 by at least seven. Players hold
// it by book/circuitwars/mirror.go.
//
// On a sum it is enough that each component has such an automorphism or a
// twin of its own type to change places with.
//
// All this is about the graph, not about the drawn board. Free segments that
// lead from one square to the outside are parallel edges, and any of them may
// stand for any other: after 0,0,bottom 5,6,right 0,0,left of a 7x7 board both
// free border segments of the opposite corner restore the symmetry.

// Mirrors applies the theorem to whole positions. It holds scratch memory; the
// zero value is ready, one goroutine at a time may use it.
type Mirrors struct {
	search  mirrorSearch
	labeler canon.Labeler
}

// Fixed says whether the theorem holds in a position, and with how many fixed
// squares: the side to move then gets at most minus that many. A miss is
// possible only in components with very many automorphisms.
//
// Components with an automorphism of their own keep it, since a pair of them
// that changed places would fix no square; the others must come in pairs. So
// whatever involution the graph has, one is found that fixes as many squares:
// in a class of isomorphic components without one of their own all change places.
func (m *Mirrors) Fixed(g grid.Graph) (fixed int, ok bool) {
	if !mayMirror(g) {
		return 0, false
	}
	parts, err := canon.Components(g)
	if err != nil {
		return 0, false
	}
	var single []canon.Key // types that wait for a twin
	for _, c := range parts {
		if f := m.search.fixed(c.Code); f != noMirror {
			fixed += int(f)
			continue
		}
		k := canon.KeyOf(m.labeler.Label(c.Code))
		if i := slices.Index(single, k); i >= 0 {
			single = slices.Delete(single, i, i+1)
		} else {
			single = append(single, k)
		}
	}
	return fixed, len(single) == 0
}

// mayMirror is quick to refuse most positions that have no such automorphism.
// Squares that it exchanges look alike, with the same numbers of edges inside
// and to the ground and with neighbours alike; so of a kind that is there an
// odd number of times one is fixed, and the edges of that one change places in
// pairs, which makes both numbers even.
func mayMirror(g grid.Graph) bool {
	if len(g.Edges)%2 != 0 {
		return false
	}
	var own, near [canon.MaxSquares]uint32
	if len(g.Squares) > len(own) {
		return false
	}
	for _, e := range g.Edges {
		for _, v := range [2][2]int{{e.A, e.B}, {e.B, e.A}} {
			switch {
			case v[0] == grid.Outside:
			case v[1] == grid.Outside:
				own[v[0]] += 8
			default:
				own[v[0]]++
			}
		}
	}
	for _, e := range g.Edges {
		if e.A != grid.Outside && e.B != grid.Outside {
			near[e.A] += 1 << (own[e.B] & 7 * 5) * (1 + own[e.B]>>3*0x1f3)
			near[e.B] += 1 << (own[e.A] & 7 * 5) * (1 + own[e.A]>>3*0x1f3)
		}
	}
	// Kinds that can't be fixed, each counted modulo two in one sum.
	var odd uint64
	for v := range g.Squares {
		if own[v]&1 != 0 || own[v]>>3&1 != 0 {
			h := (uint64(near[v])<<8 | uint64(own[v])) * 0x9e3779b97f4a7c15
			odd ^= h ^ h>>29
		}
	}
	return odd == 0
}

// mirrorSearch looks for such an automorphism of one component.
type mirrorSearch struct {
	code  canon.Code
	image [canon.MaxSquares]uint8 // canon.None: not chosen yet
	queue [canon.MaxSquares]uint8
	steps int
	best  int8
}

// maxMirrorSteps bounds the search in components with very many
// automorphisms; giving up only misses a bound.
const maxMirrorSteps = 20000

// fixed returns the largest number of fixed squares that it finds, or
// noMirror.
func (m *mirrorSearch) fixed(c canon.Code) int8 {
	m.code, m.steps, m.best = c, 0, noMirror
	for v := range c {
		m.image[v] = canon.None
	}
	for x := range c {
		m.assign(0, uint8(x), 0)
	}
	return m.best
}

// assign maps v to x and x to v, and goes on with the next open neighbour of
// the squares in the queue.
func (m *mirrorSearch) assign(v, x uint8, n int) {
	if m.steps++; m.steps > maxMirrorSteps || !m.fits(v, x) {
		return
	}
	m.image[v], m.image[x] = x, v
	m.queue[n] = v
	n++
	if v != x {
		m.queue[n] = x
		n++
	}
	m.extend(n)
	m.image[v], m.image[x] = canon.None, canon.None
}

func (m *mirrorSearch) fits(v, x uint8) bool {
	if m.image[v] != canon.None || m.image[x] != canon.None {
		return false
	}
	gv, dv := m.borders(v)
	gx, dx := m.borders(x)
	if gv != gx || dv != dx {
		return false
	}
	if v == x {
		// Its free segments to the ground must change places in pairs, and a
		// neighbour that is fixed too would fix the edge between them.
		if gv%2 != 0 {
			return false
		}
	} else if m.adjacent(v, x) {
		return false // the edge between them would be fixed
	}
	return m.carries(v, x) && m.carries(x, v)
}

// carries reports whether the edges from v to squares that are mapped go to
// edges from x.
func (m *mirrorSearch) carries(v, x uint8) bool {
	for i := range 4 {
		u := m.code.Border(int(v), i)
		if u >= canon.Ground || m.image[u] == canon.None {
			continue
		}
		if !m.adjacent(x, m.image[u]) || v == x && m.image[u] == u {
			return false
		}
	}
	return true
}

func (m *mirrorSearch) borders(v uint8) (grounds, degree int) {
	for i := range 4 {
		switch b := m.code.Border(int(v), i); {
		case b == canon.Ground:
			grounds++
		case b != canon.None:
			degree++
		}
	}
	return grounds, degree
}

func (m *mirrorSearch) adjacent(v, x uint8) bool {
	for i := range 4 {
		if m.code.Border(int(v), i) == x {
			return true
		}
	}
	return false
}

// extend maps an open neighbour of a mapped square, or takes the count when
// there is none left.
func (m *mirrorSearch) extend(n int) {
	for _, v := range m.queue[:n] {
		for i := range 4 {
			u := m.code.Border(int(v), i)
			if u >= canon.Ground || m.image[u] != canon.None {
				continue
			}
			for j := range 4 {
				x := m.code.Border(int(m.image[v]), j)
				if x < canon.Ground {
					m.assign(u, x, n)
				}
			}
			return
		}
	}
	f := int8(0)
	for v := range m.code {
		if int(m.image[v]) == v {
			f++
		}
	}
	m.best = max(m.best, f)
}

// mirrored returns an upper bound by the mirror theorem, if it applies to the
// position.
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
			t.mirror = w.mirror.fixed(s.codeOf(id))
		}
		if t.mirror == noMirror {
			return 0, false
		}
		upper -= int(t.mirror)
	}
	return upper, true
}
