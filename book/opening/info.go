package opening

import (
	"slices"

	"endwise/engine"
)

// Counts contains numbers of positions of a book.
type Counts struct {
	Positions int
	Proved    int
	Bounded   int    // with a proved bound and no exact value
	Estimated int    // without any proof
	Links     int    // linked moves
	Visited   int    // occurring in recorded games
	Millis    uint64 // total time of the evaluations, in milliseconds
}

// Counts returns the book's counts.
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

// MoveInfo describes one move of a node and its equivalent moves.
type MoveInfo struct {
	Move   engine.Move // of the canonical position
	Value  Value       // for the side that plays the move
	Origin Origin      // of the estimate; zero if the value is exact
	Linked bool        // the position after the move is the node Child
	Child  Node
	Ends   bool
}

type Info struct {
	Position engine.Position // canonical
	Value    Value           // for the side to move
	Origin   Origin          // as in Entry
	Visits   int             // as in Entry
	Moves    []MoveInfo      // best first
}

// Info returns the description of a node, or an error if its key is not a position of the game.
func (b *Book) Info(id Node) (Info, error) {
	n := &b.nodes[id]
	p, err := b.position(int32(id))
	if err != nil {
		return Info{}, err
	}
	out := Info{Position: p, Value: n.value, Origin: n.origin, Visits: int(n.Visits)}
	for i := range n.Moves {
		out.Moves = append(out.Moves, b.moveInfo(n, i))
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

func (b *Book) moveInfo(n *node, i int) MoveInfo {
	c, child := &n.Moves[i], n.links[i].child
	m := MoveInfo{Move: engine.Move(c.Move), Linked: child >= 0, Ends: c.Ends}
	m.Value, _ = b.moveValue(n, i)
	if m.Linked {
		m.Child = Node(child)
	}
	switch {
	case m.Value.Exact():
		// no origin
	case m.Linked:
		m.Origin = b.nodes[child].origin
		m.Origin.Plies++
	default:
		m.Origin = Origin{Depth: n.Depth, Millis: n.Millis}
	}
	return m
}
