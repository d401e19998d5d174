package graph

import (
	"slices"

	"endwise/engine/grid"
)

// The mirror theorem: if the second player can answer every move with its mirror image,
// the first player's result is at most minus the number of squares fixed by the mirror
// (solver/circuitwars/README.md has a picture).
//
// Let s be an automorphism of a position's graph that is its own inverse, fixes the ground
// and no edge, and fixes f squares. The second player answers every edge e with s(e). Then
// the value is at most -f.
//
// Proof. If e is not a bridge, s(e) still exists after e. The squares cut off after both
// moves belong to the second player, and the rest is invariant under s. If e is a bridge
// that cuts off C, then s(e) is a bridge that cuts off s(C), a set of the same size. Sets cut off
// by bridges are nested or disjoint, so C and s(C) are equal or disjoint. They are not equal,
// because two bridges cannot cut off the same set. So s(e) still exists after C is captured, and
// the answer scores as much. A fixed square is in no such C, so the first player captures no
// fixed square. QED
//
// The reflection of 7x7 in a diagonal fixes one square in every row, so player 2 wins 7x7 by
// at least seven. book/circuitwars/mirror.go plays this strategy.
//
// In a sum, it suffices that each component has such an automorphism or is exchanged with
// another component of the same type.
//
// The automorphism is one of the graph, not of the board. Border segments of the same
// square are parallel edges to the ground, and each can replace another: on 7x7, after
// 0,0,bottom 5,6,right 0,0,left, each of the two free border segments of the opposite corner
// restores the symmetry.

// MirrorFinder finds automorphisms for the mirror theorem. It contains scratch memory. The
// zero value is ready for use; it is not safe for concurrent use.
type MirrorFinder struct {
	labeler Labeler

	code  Code              // of the component
	image [MaxSquares]uint8 // square → its image, None if not yet chosen
	queue [MaxSquares]uint8 // squares with an image, in the order of their choice
	steps int               // number of calls of assign
	best  int               // maximum number of fixed squares found, -1 for no automorphism
}

// Fixed returns the number of squares fixed by an automorphism for the mirror theorem: the
// value for the side to move is at most minus this number. ok is false if no such automorphism
// is found, because there is none, the search reaches its limit, or free is not a position.
func (m *MirrorFinder) Fixed(b *grid.Board, free grid.Set) (fixed int, ok bool) {
	if free.Len()%2 != 0 {
		return 0, false // the mirror fixes no edge, so the number of edges is even
	}
	parts, err := Components(b, free)
	if err != nil {
		return 0, false
	}
	return m.fixed(parts)
}

// fixed is Fixed for the components of a position.
//
// A component with an automorphism is mapped to itself, because exchanging two components
// would fix no square. The others must come in isomorphic pairs, which are exchanged. No other
// choice fixes more squares.
func (m *MirrorFinder) fixed(parts []Component) (fixed int, ok bool) {
	var single []Key // types without a partner so far
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

// maxMirrorSteps limits the search in components with very many automorphisms. If it is reached, a
// bound may be missed.
const maxMirrorSteps = 20000

// Component returns the maximum number of squares fixed by an automorphism of a component for
// the mirror theorem; ok is false if none is found within maxMirrorSteps.
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

// assign maps v and x to each other, if possible, and tries all continuations. n is the number
// of squares mapped before. It undoes the mapping before it returns.
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

// fits reports whether v and x can be mapped to each other without contradiction to the squares
// mapped before.
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
		return false // edges to the ground must be exchanged in pairs
	}
	if v != x && m.adjacent(v, x) {
		return false // the edge between them would be fixed
	}
	return m.mapsEdges(v, x) && m.mapsEdges(x, v)
}

// mapsEdges reports whether all edges from v to mapped squares are mapped to edges from x and
// none of them is fixed, if v is mapped to x.
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

// adjacent reports whether an edge connects the squares v and x.
func (m *MirrorFinder) adjacent(v, x uint8) bool {
	for i := range 4 {
		if m.code.Border(int(v), i) == x {
			return true
		}
	}
	return false
}

// extend chooses the images of the unmapped neighbours of the first n squares of the queue, in
// every possible way. If there is none, the automorphism is complete, and extend updates best.
func (m *MirrorFinder) extend(n int) {
	for _, v := range m.queue[:n] {
		for i := range 4 {
			u := m.code.Border(int(v), i)
			if u >= Ground || m.image[u] != None {
				continue
			}
			// The neighbour u of v must be mapped to a neighbour of v's image.
			for j := range 4 {
				x := m.code.Border(int(m.image[v]), j)
				if x < Ground {
					m.assign(u, x, n)
				}
			}
			return // assign has called extend for the remaining neighbours
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
