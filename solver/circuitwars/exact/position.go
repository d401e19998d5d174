package exact

import (
	"slices"

	"endwise/solver/circuitwars/graph"
)

// position is a multiset of component types, simplified by the rules of simplify.go. All fields
// except types are sums over the types.
type position struct {
	types   []typeID // ascending
	key     graph.Key
	mask    uint64 // xor of the masks of the types' best references
	err     int    // sum of the errors of these references
	squares int
	edges   int
}

// add adds a type, or removes an equal one if the two cancel. It does not update mask and err.
func (p *position) add(s *store, id typeID) {
	t := &s.types[id]
	i := len(p.types)
	for i > 0 && p.types[i-1] > id {
		i--
	}
	if t.cancels && i > 0 && p.types[i-1] == id {
		p.types = slices.Delete(p.types, i-1, i)
		p.subtract(t)
		return
	}
	p.types = slices.Insert(p.types, i, id)
	p.key = p.key.Add(t.key)
	p.squares += int(t.squares)
	p.edges += int(t.edges)
}

// subtract subtracts a type from the sums, except mask and err.
func (p *position) subtract(t *typeInfo) {
	p.key = p.key.Sub(t.key)
	p.squares -= int(t.squares)
	p.edges -= int(t.edges)
}

// after sets p to the position after resolved option o of a component of type id in q. p is not q.
func (p *position) after(s *store, q *position, id typeID, o *option) {
	types := p.types[:0] // keeps the memory of p
	*p = *q
	i := slices.Index(q.types, id)
	types = append(types, q.types[:i]...)
	p.types = append(types, q.types[i+1:]...)
	p.subtract(&s.types[id])
	for _, k := range s.kidsOf(o) {
		p.add(s, k)
	}
	p.measure(s)
}

// measure recomputes mask and err. They can change because the references of large types improve.
func (p *position) measure(s *store) {
	mask, err := uint64(0), 0
	for _, id := range p.types {
		r := &s.types[id].refs[0]
		mask ^= r.mask
		err += int(r.err)
	}
	p.mask, p.err = mask, err
}

// keyAfter returns the key of the position after resolved option o of a component of type id.
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

// odd reports whether type k occurs an odd number of times in p after removed is removed and the
// types in added are added. Two components of type k must cancel, so p contains at most one.
func (p *position) odd(k, removed typeID, added []typeID) bool {
	odd := slices.Contains(p.types, k) != (k == removed)
	for _, x := range added {
		if x == k {
			odd = !odd
		}
	}
	return odd
}
