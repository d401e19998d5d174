package graph

import (
	"slices"

	"endwise/engine/grid"
)

// The mirror theorem: the player who answers every move with its mirror image gets at
// least the squares that the image leaves in place.
//
// Let a position have an automorphism s that is its own inverse, keeps the ground
// in place and moves every edge, and let it fix f squares. Then the second player,
// answering every edge e with s(e), holds the value to at most -f:
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

// MirrorFinder looks for automorphisms as in the mirror theorem. It holds scratch memory;
// the zero value is ready, one goroutine at a time may use it.
type MirrorFinder struct {
	labeler Labeler

	code  Code              // of the component that is looked at
	image [MaxSquares]uint8 // None: not chosen yet
	queue [MaxSquares]uint8
	steps int
	best  int
}

// Fixed says whether the theorem holds in the position of a board with these free
// segments, and with how many fixed squares: the side to move then gets at most
// minus that many. A miss is possible only in components with very many
// automorphisms.
func (m *MirrorFinder) Fixed(b *grid.Board, free grid.Set) (fixed int, ok bool) {
	if free.Len()%2 != 0 {
		return 0, false // the edges change places in pairs
	}
	parts, err := Components(b, free)
	if err != nil {
		return 0, false
	}
	return m.fixed(parts)
}

// fixed is Fixed for the components of a position.
//
// Components with an automorphism of their own keep it, since a pair of them
// that changed places would fix no square; the others must come in pairs. So
// whatever involution the graph has, one is found that fixes as many squares:
// in a class of isomorphic components without one of their own all change places.
func (m *MirrorFinder) fixed(parts []Component) (fixed int, ok bool) {
	var single []Key // types that wait for a twin
	for _, c := range parts {
		if f, ok := m.Component(c.Code); ok {
			fixed += f
			continue
		}
		k := KeyOf(m.labeler.Label(c.Code))
		if i := slices.Index(single, k); i >= 0 {
			single = slices.Delete(single, i, i+1)
		} else {
			single = append(single, k)
		}
	}
	return fixed, len(single) == 0
}

// maxMirrorSteps bounds the search in components with very many automorphisms; giving
// up only misses a bound.
const maxMirrorSteps = 20000

// Component says whether a component has such an automorphism, and how many squares
// the one fixes that fixes most of those found.
func (m *MirrorFinder) Component(c Code) (fixed int, ok bool) {
	m.code, m.steps, m.best = c, 0, -1
	for v := range c {
		m.image[v] = None
	}
	for x := range c {
		m.assign(0, uint8(x), 0)
	}
	return m.best, m.best >= 0
}

// assign maps v to x and x to v, and goes on with the next open neighbour of
// the squares in the queue.
func (m *MirrorFinder) assign(v, x uint8, n int) {
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
	m.image[v], m.image[x] = None, None
}

func (m *MirrorFinder) fits(v, x uint8) bool {
	if m.image[v] != None || m.image[x] != None {
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
func (m *MirrorFinder) carries(v, x uint8) bool {
	for i := range 4 {
		u := m.code.Border(int(v), i)
		if u >= Ground || m.image[u] == None {
			continue
		}
		if !m.adjacent(x, m.image[u]) || v == x && m.image[u] == u {
			return false
		}
	}
	return true
}

func (m *MirrorFinder) borders(v uint8) (grounds, degree int) {
	for i := range 4 {
		switch b := m.code.Border(int(v), i); {
		case b == Ground:
			grounds++
		case b != None:
			degree++
		}
	}
	return grounds, degree
}

func (m *MirrorFinder) adjacent(v, x uint8) bool {
	for i := range 4 {
		if m.code.Border(int(v), i) == x {
			return true
		}
	}
	return false
}

// extend maps an open neighbour of a mapped square, or takes the count when
// there is none left.
func (m *MirrorFinder) extend(n int) {
	for _, v := range m.queue[:n] {
		for i := range 4 {
			u := m.code.Border(int(v), i)
			if u >= Ground || m.image[u] != None {
				continue
			}
			for j := range 4 {
				x := m.code.Border(int(m.image[v]), j)
				if x < Ground {
					m.assign(u, x, n)
				}
			}
			return
		}
	}
	f := 0
	for v := range m.code {
		if int(m.image[v]) == v {
			f++
		}
	}
	m.best = max(m.best, f)
}
