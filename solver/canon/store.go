package canon

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/engine/grid"
)

// ID is a type's number in one Store. Numbers differ between stores and runs;
// Keys do not.
type ID uint32

// Type is a component up to isomorphism.
type Type struct {
	Code    Code // canonical; shared, not to be changed
	Key     Key
	Squares int
	Edges   int // free segments
	Grounds int // free segments to the ground; 1 means hot
	// Tied says that squares of the component look alike to the colours. A
	// type that is not tied has no automorphism but the identity.
	Tied bool
}

// Hot reports whether the component hangs by a single free segment.
func (t *Type) Hot() bool { return t.Grounds == 1 }

// Option is what one move inside a component does: squares scored and the
// components that take its place, Count of them (0 to 2).
type Option struct {
	Gain  uint8
	Count uint8
	Kids  [2]ID
}

// Store numbers component types and remembers their options. It grows with
// the types that it has seen, about 300 bytes each once their options were
// asked for. It is safe for concurrent use.
type Store struct {
	mu    sync.RWMutex
	byKey map[Key]ID
	types []*entry

	labelers sync.Pool
}

type entry struct {
	Type
	options atomic.Pointer[[]Option]
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{
		byKey:    map[Key]ID{},
		labelers: sync.Pool{New: func() any { return &tools{} }},
	}
}

type tools struct {
	Labeler
	Cutter
}

// Len is the number of types seen so far; their IDs are 0 to Len-1.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.types)
}

// Type describes a type.
func (s *Store) Type(id ID) *Type { return &s.entry(id).Type }

func (s *Store) entry(id ID) *entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.types[id]
}

// Intern numbers the type of a component given in any order.
func (s *Store) Intern(c Code) ID {
	t := s.labelers.Get().(*tools)
	defer s.labelers.Put(t)
	code := t.Label(c)
	return s.intern(code, t.Tied())
}

// intern numbers a canonical code, copying it if it is new.
func (s *Store) intern(c Code, tied bool) ID {
	k := KeyOf(c)
	s.mu.RLock()
	id, ok := s.byKey[k]
	s.mu.RUnlock()
	if ok {
		return id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.byKey[k]; ok {
		return id
	}
	id = ID(len(s.types))
	e := &entry{Type: Type{Code: slices.Clone(c), Key: k, Squares: len(c), Edges: c.Edges(), Grounds: c.Grounds(), Tied: tied}}
	s.types = append(s.types, e)
	s.byKey[k] = id
	return id
}

// Options lists what the moves inside a type do, one entry for each different
// result, in ascending order of gain and IDs. The slice is shared.
func (s *Store) Options(id ID) []Option {
	e := s.entry(id)
	if o := e.options.Load(); o != nil {
		return *o
	}
	t := s.labelers.Get().(*tools)
	defer s.labelers.Put(t)
	var out []Option
	for _, cut := range t.Cuts(e.Code) {
		var o Option
		gain := t.Kids(e.Code, cut.A, cut.B, func(kid Code) {
			o.Kids[o.Count] = s.intern(kid, t.Tied())
			o.Count++
		})
		o.Gain = uint8(gain)
		if o.Count == 2 && o.Kids[0] > o.Kids[1] {
			o.Kids[0], o.Kids[1] = o.Kids[1], o.Kids[0]
		}
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b Option) int {
		return slices.Compare([]ID{ID(a.Gain), ID(a.Count), a.Kids[0], a.Kids[1]}, []ID{ID(b.Gain), ID(b.Count), b.Kids[0], b.Kids[1]})
	})
	out = slices.Compact(out)
	e.options.CompareAndSwap(nil, &out)
	return *e.options.Load()
}

// Position is a multiset of component types: their numbers in ascending
// order, one a component.
type Position []ID

// Position is the multiset of the components of a graph. Squares that do not
// hang on the ground are refused, they are no part of any position.
func (s *Store) Position(g grid.Graph) (Position, error) {
	parts, err := Components(g)
	if err != nil {
		return nil, err
	}
	p := make(Position, 0, len(parts))
	for _, c := range parts {
		p = append(p, s.Intern(c.Code))
	}
	slices.Sort(p)
	return p, nil
}

// Key is the position's name: the sum of its types' keys.
func (s *Store) Key(p Position) Key {
	var k Key
	for _, id := range p {
		k = k.Add(s.Type(id).Key)
	}
	return k
}

// Squares counts the squares of a position.
func (s *Store) Squares(p Position) int {
	n := 0
	for _, id := range p {
		n += s.Type(id).Squares
	}
	return n
}

// Edges counts the free segments of a position.
func (s *Store) Edges(p Position) int {
	n := 0
	for _, id := range p {
		n += s.Type(id).Edges
	}
	return n
}

// Graph is a position as a graph, its components one after the other;
// Segment is the index of the edge.
func (s *Store) Graph(p Position) grid.Graph {
	var g grid.Graph
	for _, id := range p {
		base := len(g.Squares)
		c := s.Type(id).Code.Graph()
		for v := range c.Squares {
			g.Squares = append(g.Squares, base+v)
		}
		for _, e := range c.Edges {
			e.A += base
			if e.B != grid.Outside {
				e.B += base
			}
			e.Segment = len(g.Edges)
			g.Edges = append(g.Edges, e)
		}
	}
	return g
}

// Move is one different result of moving in a position.
type Move struct {
	Gain int
	Key  Key
	From ID     // the type in which the move is made
	Into Option // what it does there
}

// Moves lists the different results of moving in a position as gain and key,
// no result twice.
func (s *Store) Moves(p Position) []Move {
	var out []Move
	key := s.Key(p)
	for i, id := range p {
		if i > 0 && p[i-1] == id {
			continue
		}
		rest := key.Sub(s.Type(id).Key)
		for _, o := range s.Options(id) {
			k := rest
			for _, kid := range o.Kids[:o.Count] {
				k = k.Add(s.Type(kid).Key)
			}
			m := Move{Gain: int(o.Gain), Key: k, From: id, Into: o}
			if !slices.ContainsFunc(out, func(x Move) bool { return x.Gain == m.Gain && x.Key == m.Key }) {
				out = append(out, m)
			}
		}
	}
	return out
}

// After is the position that a move leads to.
func (p Position) After(m Move) Position {
	i, found := slices.BinarySearch(p, m.From)
	if !found {
		panic(fmt.Sprintf("canon: move in type %d, which is not in the position", m.From))
	}
	out := slices.Concat(p[:i], p[i+1:], m.Into.Kids[:m.Into.Count])
	slices.Sort(out)
	return out
}
