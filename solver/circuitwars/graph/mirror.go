package graph

import (
	"slices"

	"endwise/engine/grid"
)

// The mirror theorem (solver/circuitwars/README.md has a picture).
//
// Let s be an automorphism of a position's graph that is its own inverse and fixes the ground, f
// squares and no edge. The second player answers every edge e with s(e), so the value is at most -f.
//
// Proof. If e is not a bridge, s(e) still exists after e. The squares cut off after both moves
// belong to the second player, and the rest is invariant under s. If e is a bridge that cuts off C,
// then s(e) is a bridge that cuts off s(C), a set of the same size. Sets cut off by bridges are
// nested or disjoint, so C and s(C) are equal or disjoint. They are not equal, because two bridges
// cannot cut off the same set. So s(e) still exists after C is captured, and the answer scores as
// much. A fixed square is in no such C, so the first player captures no fixed square. QED
//
// In a sum, each component must have such an automorphism or be exchanged with one of the same type.
//
// The automorphism is one of the graph, not of the board. Border segments of the same square are
// parallel edges to the ground, and each can replace another.

// MirrorFinder finds such automorphisms. The zero value is ready. It is not safe for concurrent use.
type MirrorFinder struct {
	labeler Labeler

	code  Code
	image [MaxSquares]uint8 // None if not yet chosen
	queue [MaxSquares]uint8 // squares with an image, in the order of their choice
	steps int               // calls of assign
	best  int               // maximum number of fixed squares, -1 for no automorphism
}

// Fixed returns the number of squares fixed by an automorphism for the mirror theorem: the value
// for the side to move is at most minus this number. ok is false if none is found, because there is
// none, the search reaches its limit, or free is not a position.
func (m *MirrorFinder) Fixed(b *grid.Board, free grid.Set) (fixed int, ok bool) {
	if free.Len()%2 != 0 {
		return 0, false // the mirror fixes no edge
	}
	parts, err := Components(b, free)
	if err != nil {
		return 0, false
	}
	return m.fixed(parts)
}

// fixed is Fixed for the components of a position. A component with an automorphism is mapped to
// itself: exchanging two fixes no square. The others must come in isomorphic pairs.
func (m *MirrorFinder) fixed(parts []Component) (fixed int, ok bool) {
	var single []Key // without a partner so far
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

const maxMirrorSteps = 20000 // limits the search in components with many automorphisms

// Component returns the maximum number of squares fixed by an automorphism of a component for the
// mirror theorem; ok is false if none is found within maxMirrorSteps.
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

// assign maps v and x to each other, if possible, tries all continuations, and undoes the mapping.
// n is the number of squares mapped before.
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

// fits reports whether v and x can be mapped to each other, given the squares mapped so far.
func (m *MirrorFinder) fits(v, x uint8) bool {
	if m.image[v] != None || m.image[x] != None {
		return false
	}
	inner, grounds := m.code[v : v+1].count()
	innerX, groundsX := m.code[x : x+1].count()
	if inner != innerX || grounds != groundsX {
		return false
	}
	if v == x && grounds%2 != 0 {
		return false // these are exchanged in pairs
	}
	if v != x && m.adjacent(v, x) {
		return false // the edge between them would be fixed
	}
	return m.mapsEdges(v, x) && m.mapsEdges(x, v)
}

// mapsEdges reports whether all edges from v to mapped squares are mapped to edges from x and none
// of them is fixed, if v is mapped to x.
func (m *MirrorFinder) mapsEdges(v, x uint8) bool {
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

func (m *MirrorFinder) adjacent(v, x uint8) bool {
	for i := range 4 {
		if m.code.Border(int(v), i) == x {
			return true
		}
	}
	return false
}

// extend chooses the images of the unmapped neighbours of the first n squares of the queue, in
// every possible way. If there is no such neighbour, it updates best.
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
			return // assign has called extend for the others
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
