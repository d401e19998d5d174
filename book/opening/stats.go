package opening

import (
	"slices"

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
	Visited  int    // nodes that occurred in given games
	Millis   uint64 // time behind all evaluations
	Root     Value  // of the first position
	HasRoot  bool
	ByPly    []PlyStats
	Total    PlyStats
	Conflict int // nodes where proofs exclude each other
}

// Stats counts nodes by their distance from the board's first position.
func (b *Book) Stats() (Stats, error) {
	s := Stats{Header: b.header, Nodes: b.Len(), Links: b.links, Conflict: b.conflicts}
	ply := make([]int, len(b.nodes))
	for i := range ply {
		ply[i] = -1
	}
	start, err := b.Start()
	if err != nil {
		return s, err
	}
	id, _, ok, err := b.Find(start)
	if err != nil {
		return s, err
	}
	deepest := -1
	if ok {
		s.Root, s.HasRoot = b.nodes[id].value, true
		ply[id] = 0
		for queue := []int32{int32(id)}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			deepest = max(deepest, ply[at])
			for i := range b.nodes[at].classes {
				if c := b.nodes[at].classes[i].child; c >= 0 && ply[c] < 0 {
					ply[c] = ply[at] + 1
					queue = append(queue, c)
				}
			}
		}
	}
	s.ByPly = make([]PlyStats, deepest+2)
	for i := range s.ByPly {
		s.ByPly[i].Ply = i
	}
	s.ByPly[deepest+1].Ply = -1
	for i := range b.nodes {
		n := &b.nodes[i]
		at := ply[i]
		if at < 0 {
			at = deepest + 1
		}
		for _, p := range []*PlyStats{&s.ByPly[at], &s.Total} {
			p.Nodes++
			switch {
			case n.value.Exact():
				p.Exact++
			case n.value.Lo > -Unbounded || n.value.Hi < Unbounded:
				p.Bounded++
			default:
				p.Estimated++
			}
		}
		if n.visits > 0 {
			s.Visited++
		}
		s.Millis += uint64(n.millis)
	}
	if s.ByPly[deepest+1].Nodes == 0 {
		s.ByPly = s.ByPly[:deepest+1]
	}
	return s, nil
}

// MoveInfo is what a book knows about one class of moves of a node.
type MoveInfo struct {
	Move   engine.Move // of the canonical position; stands for its class
	Value  Value       // for the side that plays it
	Behind Behind      // of the estimate
	Linked bool        // the position after it is Child
	Child  Node
	Ends   bool // the move ends the game
}

// Info is what a book knows about a node.
type Info struct {
	Position engine.Canonical
	Value    Value
	Behind   Behind
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
	out := Info{Position: p, Value: n.value, Behind: n.behind, Visits: int(n.visits)}
	for i := range n.classes {
		c := &n.classes[i]
		v, _ := b.classValue(c)
		m := MoveInfo{Move: engine.Move(c.move), Value: v, Ends: c.child == final, Linked: c.child >= 0, Behind: Behind{Depth: n.depth, Millis: n.millis}}
		if m.Linked {
			m.Child = Node(c.child)
			m.Behind = b.nodes[c.child].behind
			m.Behind.Plies++
		}
		if v.Exact() {
			m.Behind = Behind{}
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
