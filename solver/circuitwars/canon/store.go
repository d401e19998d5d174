package canon

import (
	"slices"
	"sync"
	"sync/atomic"
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
	Grounds int // free segments to the ground
}

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
	return s.intern(t.Label(c))
}

// intern numbers a canonical code, copying it if it is new.
func (s *Store) intern(c Code) ID {
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
	e := &entry{Type: Type{Code: slices.Clone(c), Key: k, Squares: len(c), Edges: c.Edges(), Grounds: c.Grounds()}}
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
			o.Kids[o.Count] = s.intern(kid)
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
