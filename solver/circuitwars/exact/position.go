package exact

import (
	"slices"

	"endwise/solver/circuitwars/graph"
)

// position is a multiset of irreducible types without pairs that cancel, with its key,
// reference and size.
type position struct {
	types   []typeID // ascending
	key     graph.Key
	mask    uint64 // xor of the masks of the best references
	err     int    // sum of their errors
	squares int
	edges   int
}

// add adds a type to the position, or removes an equal type if the two cancel.
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

// without removes a component of type t from the sums.
func (p *position) without(t *typeInfo) {
	p.key = p.key.Sub(t.key)
	p.squares -= int(t.squares)
	p.edges -= int(t.edges)
}

// after sets p to the position after a move in type id of q. The option's kids must be
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

// measure recomputes mask and err. The references of large types improve during the search.
func (p *position) measure(s *store) {
	mask, err := uint64(0), 0
	for _, id := range p.types {
		r := &s.types[id].refs[0]
		mask ^= r.mask
		err += int(r.err)
	}
	p.mask, p.err = mask, err
}

// keyAfter returns the key of the position that after makes.
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

// odd reports whether type k, which cancels, occurs an odd number of times in the position
// with one id removed and kids added.
func (p *position) odd(k, id typeID, kids []typeID) bool {
	odd := k == id // the removed one is counted below
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
