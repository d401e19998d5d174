package exact

import (
	"slices"

	"endwise/solver/circuitwars/graph"
)

// position is a multiset of irreducible types without pairs that cancel, and
// what the search wants to know of it at once.
type position struct {
	types   []typeID // ascending
	key     graph.Key
	mask    uint64 // xor of the masks of the best references
	err     int    // sum of their errors
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
	p.squares += int(t.squares)
	p.edges += int(t.edges)
}

func (p *position) without(t *typeInfo) {
	p.key = p.key.Sub(t.key)
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
	p.measure(s)
}

// measure takes the references of all components anew: those of large types
// get better while the search goes on.
func (p *position) measure(s *store) {
	mask, err := uint64(0), 0
	for _, id := range p.types {
		r := &s.types[id].refs[0]
		mask ^= r.mask
		err += int(r.err)
	}
	p.mask, p.err = mask, err
}

// keyAfter is the key of the position that after would make.
func (p *position) keyAfter(s *store, id typeID, o *option) graph.Key {
	key := p.key.Sub(s.types[id].key)
	kids := s.kidsOf(o)
	for i, k := range kids {
		t := &s.types[k]
		if t.cancels && p.odd(k, id, kids[:i]) {
			key = key.Sub(t.key)
		} else {
			key = key.Add(t.key)
		}
	}
	return key
}

// odd reports whether the position without one of type id and with some kids
// holds an odd number of type k, which cancels.
func (p *position) odd(k, id typeID, kids []typeID) bool {
	odd := k == id // one too many is counted below
	for _, x := range p.types {
		if x == k {
			odd = !odd
		}
		if x >= k {
			break
		}
	}
	for _, x := range kids {
		if x == k {
			odd = !odd
		}
	}
	return odd
}
