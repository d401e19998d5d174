package exact

import (
	"math/bits"

	"endwise/solver/circuitwars/graph"
)

// Labelling is the dearest thing that the search does, and the same component
// is reached by many orders of the same moves. A trace names a component by
// where it lies in the root position: a 128-bit sum over its edges. It costs
// next to nothing to take an edge out of it, and the store remembers which
// type a trace was found to be. A missing or overwritten memory only costs a
// labelling; two components are taken for one with a chance of 1 in 2^64 a
// look, for the lower half of a trace only chooses its place.
//
// Every type keeps one trace, of the place where it was first met, and beside
// its code the squares of the root position that its squares are. Types that
// come from a rule lie nowhere and have no trace.
type trace struct{ hi, lo uint64 }

func (t trace) zero() bool { return t == trace{} }

func (t trace) add(o trace) trace { return trace{t.hi + o.hi, t.lo + o.lo} }
func (t trace) sub(o trace) trace { return trace{t.hi - o.hi, t.lo - o.lo} }

// traced is an entry of the memory of traces.
type traced struct {
	hi uint64
	id typeID
}

// edgeTrace is the trace of an edge between two squares of the root position.
func edgeTrace(a, b uint8) trace {
	return spread(uint64(min(a, b))<<8 | uint64(max(a, b)))
}

// groundTrace is the trace of a number of free segments to the ground.
func groundTrace(a uint8, n int) trace {
	if n == 0 {
		return trace{}
	}
	return spread(1<<16 | uint64(a)<<8 | uint64(n))
}

func spread(x uint64) trace {
	hi, lo := bits.Mul64(x*0x9e3779b97f4a7c15^0xe7037ed1a0b428db, x*0xd6e8feb86659fd93^0xa0761d6478bd642f)
	hi ^= lo >> 29
	return trace{hi*0xbf58476d1ce4e5b9 ^ lo, lo*0x94d049bb133111eb ^ hi>>31}
}

// placesOf is where a type lies, if it has a trace.
func (s *store) placesOf(id typeID) []uint8 {
	t := &s.types[id]
	return s.places[t.code : t.code+uint32(t.squares)]
}

// placeKid notes where a new type lies that was just labelled as a kid of
// another.
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

// placeRoot notes where a component of the root position lies; vertices are
// its squares in the order in which it was labelled.
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

func (s *store) remember(at trace, id typeID) {
	s.traces[at.lo&uint64(len(s.traces)-1)] = traced{at.hi, id}
}

// recall is the type that a trace was found to be.
func (s *store) recall(at trace) (id typeID, ok bool) {
	m := &s.traces[at.lo&uint64(len(s.traces)-1)]
	return m.id, m.hi == at.hi
}

// newKid numbers what the labeler has just made of a kid of a type, and notes
// its trace, if that has one.
func (s *store) newKid(parent typeID, code graph.Code, at trace) typeID {
	kid := s.intern(code, s.labeler.Tied())
	if !at.zero() {
		s.placeKid(parent, kid, at)
		s.remember(at, kid)
	}
	return kid
}

// wholeKid finds what is left of a type when a cut leaves all squares in one
// component.
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

// partKid finds the type of a part that a cut leaves; the labeler is at it.
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

// partTrace adds up the trace of some squares of a code, which has no edge
// from them to others but the one between a and b, and that one is not theirs.
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
