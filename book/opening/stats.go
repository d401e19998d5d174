package opening

import (
	"slices"

	"endwise/book/opening/value"
	"endwise/engine"
)

// PlyStats counts the nodes at one distance from the first position.
type PlyStats struct {
	Ply                       int // -1 for nodes that no line of the book reaches
	Nodes                     int
	Exact, Bounded, Estimated int // Bounded have a proved bound but no proved value
}

// Stats describes a book.
type Stats struct {
	Header   Header
	Nodes    int
	Links    int
	Visited  int         // nodes that occurred in given games
	Millis   uint64      // time behind all evaluations
	Root     value.Value // of the first position
	HasRoot  bool
	ByPly    []PlyStats
	Total    PlyStats
	Conflict int // nodes where proofs exclude each other
}

// Stats counts nodes by their distance from the board's first position. It may not be
// asked while the book grows: that counts plies from its own root.
func (b *Book) Stats() (Stats, error) {
	s := Stats{Header: b.header, Nodes: b.Len(), Links: b.links, Conflict: b.conflicts, ByPly: []PlyStats{}}
	start, err := b.Start()
	if err != nil {
		return s, err
	}
	id, _, ok, err := b.Find(start)
	if err != nil {
		return s, err
	}
	if ok {
		s.Root, s.HasRoot = b.nodes[id].value, true
	}
	b.countPlies(int32(id), ok)
	off := PlyStats{Ply: -1}
	for i := range b.nodes {
		n := &b.nodes[i]
		at := &off
		if n.ply != noPly {
			for len(s.ByPly) <= int(n.ply) {
				s.ByPly = append(s.ByPly, PlyStats{Ply: len(s.ByPly)})
			}
			at = &s.ByPly[n.ply]
		}
		for _, p := range []*PlyStats{at, &s.Total} {
			p.Nodes++
			switch {
			case n.value.Exact():
				p.Exact++
			case n.value.Lo > -value.Unbounded || n.value.Hi < value.Unbounded:
				p.Bounded++
			default:
				p.Estimated++
			}
		}
		if n.Visits > 0 {
			s.Visited++
		}
		s.Millis += uint64(n.Millis)
	}
	if off.Nodes > 0 {
		s.ByPly = append(s.ByPly, off)
	}
	return s, nil
}

// MoveInfo is what a book knows about one class of moves of a node.
type MoveInfo struct {
	Move   engine.Move  // of the canonical position; stands for its class
	Value  value.Value  // for the side that plays it
	Behind value.Behind // of the estimate
	Linked bool         // the position after it is Child
	Child  Node
	Ends   bool // the move ends the game
}

// Info is what a book knows about a node.
type Info struct {
	Position engine.Canonical
	Value    value.Value
	Behind   value.Behind
	Visits   int
	Moves    []MoveInfo // best first
}

// Info describes a node.
func (b *Book) Info(id Node) (Info, error) {
	n := &b.nodes[id]
	p, err := b.position(int32(id))
	if err != nil {
		return Info{}, err
	}
	out := Info{Position: p, Value: n.value, Behind: n.behind, Visits: int(n.Visits)}
	for i := range n.Classes {
		c := &n.Classes[i]
		l := n.links[i]
		v, _ := b.classValue(n, i)
		m := MoveInfo{Move: engine.Move(c.Move), Value: v, Ends: c.Ends, Linked: l.child >= 0, Behind: value.Behind{Depth: n.Depth, Millis: n.Millis}}
		if m.Linked {
			m.Child = Node(l.child)
			m.Behind = b.nodes[l.child].behind
			m.Behind.Plies++
		}
		if v.Exact() {
			m.Behind = value.Behind{}
		}
		out.Moves = append(out.Moves, m)
	}
	slices.SortStableFunc(out.Moves, func(x, y MoveInfo) int {
		switch {
		case better(x.Value, x.Linked, y.Value, y.Linked):
			return -1
		case better(y.Value, y.Linked, x.Value, x.Linked):
			return 1
		}
		return 0
	})
	return out, nil
}
