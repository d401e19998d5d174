package exact

import (
	"math/bits"

	"endwise/solver/circuitwars/graph"
)

// A trace identifies a component by its place in the root position: a 128-bit sum over its
// edges. Labelling is the most expensive step of the search, and different orders of the
// same moves reach the same component. Removing an edge from a trace is cheap, and the
// store caches the types of traces. A cache miss only costs a labelling. Two components are
// confused with probability 2^-64 per lookup: hi is compared, lo determines the slot.
//
// Every type keeps one trace, of the place where it was first met, and for each of its
// squares the square of the root position. Types that come from a rule have no trace.
type trace struct{ hi, lo uint64 }

// zero reports whether the trace is that of no components.
func (t trace) zero() bool { return t == trace{} }

// add returns the sum of two traces.
func (t trace) add(o trace) trace { return trace{t.hi + o.hi, t.lo + o.lo} }

// sub returns the difference of two traces.
func (t trace) sub(o trace) trace { return trace{t.hi - o.hi, t.lo - o.lo} }

// traced is an entry of the cache of traces.
type traced struct {
	hi uint64
	id typeID
}

// edgeTrace returns the trace of an edge between two squares of the root position.
func edgeTrace(a, b uint8) trace {
	return spread(uint64(min(a, b))<<8 | uint64(max(a, b)))
}

// groundTrace returns the trace of n edges of a square to the ground.
func groundTrace(a uint8, n int) trace {
	if n == 0 {
		return trace{}
	}
	return spread(1<<16 | uint64(a)<<8 | uint64(n))
}

// spread returns 128 random-looking bits that depend on x.
func spread(x uint64) trace {
	hi, lo := bits.Mul64(x*0x9e3779b97f4a7c15^0xe7037ed1a0b428db, x*0xd6e8feb86659fd93^0xa0761d6478bd642f)
	hi ^= lo >> 29
	return trace{hi*0xbf58476d1ce4e5b9 ^ lo, lo*0x94d049bb133111eb ^ hi>>31}
}

// placesOf returns the squares of the root position of a type that has a trace.
func (s *store) placesOf(id typeID) []uint8 {
	t := &s.types[id]
	return s.places[t.code : t.code+uint32(t.squares)]
}

// placeKid sets the trace and place of a type just labelled as a kid of parent.
func (s *store) placeKid(parent, kid typeID, at trace) {
	t := &s.types[kid]
	if !t.trace.zero() || t.expanded || s.types[parent].trace.zero() {
		return
	}
	from, to := s.placesOf(parent), s.placesOf(kid)
	for v := range to {
		to[v] = from[s.labeler.Source(v)]
	}
	t.trace = at
	s.remember(at, kid)
}

// placeRoot sets the trace and place of a component of the root position. vertices are its
// squares in the order in which they were passed to the labeler.
func (s *store) placeRoot(id typeID, vertices []int) {
	t := &s.types[id]
	if !t.trace.zero() || t.expanded {
		return
	}
	places := s.placesOf(id)
	squares := make([]uint8, len(places))
	for v := range places {
		places[v], squares[v] = uint8(vertices[s.labeler.Source(v)]), uint8(v)
	}
	t.trace = partTrace(s.codeOf(id), places, squares, graph.None, graph.None)
	s.remember(t.trace, id)
}

// remember records the type of a component with the given trace.
func (s *store) remember(at trace, id typeID) {
	s.traces[at.lo&uint64(len(s.traces)-1)] = traced{at.hi, id}
}

// recall returns the type cached for a trace.
func (s *store) recall(at trace) (id typeID, ok bool) {
	m := &s.traces[at.lo&uint64(len(s.traces)-1)]
	return m.id, m.hi == at.hi
}

// newKid interns the code just made by the labeler for a kid of parent, and caches its
// trace.
func (s *store) newKid(parent typeID, code graph.Code, at trace) typeID {
	kid := s.intern(code, s.labeler.Tied())
	if !at.zero() {
		s.placeKid(parent, kid, at)
		s.remember(at, kid)
	}
	return kid
}

// wholeKid returns the type left by an option that keeps all squares in one component.
func (s *store) wholeKid(id typeID, o *option) typeID {
	t := &s.types[id]
	code := s.codeOf(id)
	var at trace
	if !t.trace.zero() {
		places := s.placesOf(id)
		if o.b == graph.Ground {
			n := 0
			for i := range 4 {
				if code.Border(int(o.a), i) == graph.Ground {
					n++
				}
			}
			at = t.trace.sub(groundTrace(places[o.a], n)).add(groundTrace(places[o.a], n-1))
		} else {
			at = t.trace.sub(edgeTrace(places[o.a], places[o.b]))
		}
		if kid, ok := s.recall(at); ok {
			return kid
		}
	}
	return s.newKid(id, s.labeler.Without(code, o.a, o.b), at)
}

// partKid returns the type of a part left by an option, during labeler.Parts.
func (s *store) partKid(id typeID, o *option, squares []uint8) typeID {
	code := s.codeOf(id)
	var at trace
	if !s.types[id].trace.zero() {
		at = partTrace(code, s.placesOf(id), squares, o.a, o.b)
		if kid, ok := s.recall(at); ok {
			return kid
		}
	}
	return s.newKid(id, s.labeler.LabelPart(code, o.a, o.b), at)
}

// partTrace returns the trace of the part of c with the given squares, which are vertices of
// c; places maps a vertex to its square of the root position. The edge between a and b is
// omitted, unless a is graph.None; b may be graph.Ground. No other edge connects the squares
// with the rest.
func partTrace(c graph.Code, places, squares []uint8, a, b uint8) trace {
	var t trace
	for _, v := range squares {
		grounds := 0
		for i := range 4 {
			switch x := c.Border(int(v), i); {
			case x == graph.Ground:
				grounds++
			case x != graph.None && v < x && !(v == a && x == b || v == b && x == a):
				t = t.add(edgeTrace(places[v], places[x]))
			}
		}
		if v == a && b == graph.Ground {
			grounds--
		}
		t = t.add(groundTrace(places[v], grounds))
	}
	return t
}
