package canon

import (
	"fmt"
	"slices"

	"endwise/engine/grid"
)

// Circuit Wars on multisets of types, without a board and without a search: the
// plain game that counts of positions are taken from, and in which the tests of
// package exact find and prove its rules.

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
