package opening

import (
	"slices"

	"endwise/engine"
)

// Counts contains the size of a book and the time spent on it.
type Counts struct {
	Positions int
	Proved    int    // with an exact value
	Bounded   int    // with a proved bound and no exact value
	Estimated int    // without any proof
	Links     int    // moves from one of the positions to another
	Visited   int    // positions of given games
	Millis    uint64 // time of all evaluations
}

// Counts returns the size of the book.
func (b *Book) Counts() Counts {
	c := Counts{Positions: b.Len(), Links: b.links}
	for i := range b.nodes {
		n := &b.nodes[i]
		switch {
		case n.value.Exact():
			c.Proved++
		case n.value.Lo > -Unbounded || n.value.Hi < Unbounded:
			c.Bounded++
		default:
			c.Estimated++
		}
		if n.Visits > 0 {
			c.Visited++
		}
		c.Millis += uint64(n.Millis)
	}
	return c
}

// MoveInfo describes one class of moves of a node.
type MoveInfo struct {
	Move   engine.Move // of the canonical position; represents its class
	Value  Value       // for the side that plays it
	Behind Behind      // of the estimate
	Linked bool        // the position after it is Child
	Child  Node
	Ends   bool // the move ends the game
}

// Info describes a node.
type Info struct {
	Position engine.Position
	Value    Value
	Behind   Behind
	Visits   int
	Moves    []MoveInfo // best first
}

// Info returns the description of a node.
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
		m := MoveInfo{Move: engine.Move(c.Move), Value: v, Ends: c.Ends, Linked: l.child >= 0, Behind: Behind{Depth: n.Depth, Millis: n.Millis}}
		if m.Linked {
			m.Child = Node(l.child)
			m.Behind = b.nodes[l.child].behind
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
