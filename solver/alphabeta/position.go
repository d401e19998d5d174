package alphabeta

import (
	"slices"

	"endwise/solver/canon"
)

// position is a multiset of irreducible types without pairs that cancel, and
// what the search wants to know of it at once.
type position struct {
	types   []typeID // ascending
	key     canon.Key
	hot     uint64 // xor of the hot masks
	err     int    // sum of the errors of the others
	squares int
	edges   int
}

// add puts a type into the position, or takes its twin out if the two cancel.
func (p *position) add(s *store, id typeID) {
	t := &s.types[id]
	i := len(p.types)
	for i > 0 && p.types[i-1] > id {
		i--
	}
	if t.cancels && i > 0 && p.types[i-1] == id {
		p.types = slices.Delete(p.types, i-1, i)
		p.without(t)
		return
	}
	p.types = slices.Insert(p.types, i, id)
	p.key = p.key.Add(t.key)
	p.hot ^= t.hot
	p.err += int(t.err)
	p.squares += int(t.squares)
	p.edges += int(t.edges)
}

func (p *position) without(t *typeInfo) {
	p.key = p.key.Sub(t.key)
	p.hot ^= t.hot
	p.err -= int(t.err)
	p.squares -= int(t.squares)
	p.edges -= int(t.edges)
}

// after makes p what a move in type id of q leaves; the option's kids are
// resolved.
func (p *position) after(s *store, q *position, id typeID, o *option) {
	list := p.types[:0]
	*p = *q
	i := 0
	for q.types[i] != id {
		i++
	}
	list = append(list, q.types[:i]...)
	p.types = append(list, q.types[i+1:]...)
	p.without(&s.types[id])
	for _, k := range s.kidsOf(o) {
		p.add(s, k)
	}
}
