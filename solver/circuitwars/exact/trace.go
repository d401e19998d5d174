package exact

import (
	"math/bits"

	"endwise/solver/circuitwars/graph"
)

// A trace identifies a component by its edges in the root position: a 128-bit sum of hashes, one per
// edge between squares and one per square with edges to the ground. Different orders of the same
// moves reach the same component, so the store caches the types of traces and saves labelling. A
// lookup confuses two with probability 2^-64: hi is compared, lo selects the slot.
//
// A type has the trace of the place where it was first met and, for each of its squares, the square
// of the root position there. The trace is zero if it is unknown, as of types added by a rule.
type trace struct{ hi, lo uint64 }

func (t trace) zero() bool { return t == trace{} }

func (t trace) add(o trace) trace { return trace{t.hi + o.hi, t.lo + o.lo} }

func (t trace) sub(o trace) trace { return trace{t.hi - o.hi, t.lo - o.lo} }

type traced struct {
	hi uint64
	id typeID
}

func edgeTrace(a, b uint8) trace {
	return spread(uint64(min(a, b))<<8 | uint64(max(a, b)))
}

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

// placesOf returns, for each square of a type that has a trace, the square of the root position.
func (s *store) placesOf(id typeID) []uint8 {
	t := &s.types[id]
	return s.places[t.code : t.code+uint32(t.squares)]
}

// placeRoot sets the trace and places of the type of a component of the root position, unless it has
// a trace or is expanded. vertices are the squares of the component's code before the labelling.
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

func (s *store) recall(at trace) (id typeID, ok bool) {
	m := &s.traces[at.lo&uint64(len(s.traces)-1)]
	return m.id, m.hi == at.hi
}

// newKid interns a kid, whose code is the labeler's last result, and stores its trace at unless zero.
func (s *store) newKid(parent typeID, code graph.Code, at trace) typeID {
	kid := s.intern(code, s.labeler.Tied())
	if at.zero() {
		return kid
	}
	s.remember(at, kid)
	if t := &s.types[kid]; t.trace.zero() && !t.expanded {
		t.trace = at
		from, to := s.placesOf(parent), s.placesOf(kid)
		for v := range to {
			to[v] = from[s.labeler.Source(v)]
		}
	}
	return kid
}

// wholeKid returns the type left by option o of type id if o.whole is set.
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

// partKid is wholeKid for one of several parts. Only the callback of labeler.Parts may call it.
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

// partTrace returns the trace of a part of component c after deleting the edge between a and b,
// which is [graph.Ground] for an edge to the ground; if both are [graph.None], no edge is deleted.
// squares are the part's squares in c, and places maps these to the root position. No other edge
// may connect the part with the rest of c.
func partTrace(c graph.Code, places, squares []uint8, a, b uint8) trace {
	var t trace
	for _, v := range squares {
		grounds := 0
		for i := range 4 {
			x := c.Border(int(v), i)
			deleted := v == a && x == b || v == b && x == a
			switch {
			case x == graph.Ground:
				grounds++
			case x == graph.None || x < v || deleted:
				// No edge, counted at x, or deleted.
			default:
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
