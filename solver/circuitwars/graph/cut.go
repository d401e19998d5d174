package graph

// Part is a component left by a cut, or zero.
type Part struct {
	Squares uint8
	Grounds uint8 // edges to the ground
	Edges   uint8
}

// Cut is a move inside a component: the deleted edge and the result. A is a square, B another
// square or [Ground]. All edges from one square to the ground are one cut.
type Cut struct {
	A, B  uint8
	Gain  uint8 // squares cut off from the ground
	Parts [2]Part
}

// Cutter lists the cuts of a component by one depth-first search over the inner edges. The zero
// value is ready for use; it is not safe for concurrent use.
//
// Deleting an inner edge disconnects the squares if and only if the edge is a bridge of the
// component without the ground: a tree edge of the search with no back edge from below it to above
// it. A side of a bridge without an edge to the ground is captured.
type Cutter struct {
	code    Code
	order   [MaxSquares]uint8  // by square: order in which it was reached, from 1; 0 if not reached
	low     [MaxSquares]uint8  // least order of the subtree's squares and their back edges' ends
	size    [MaxSquares]uint8  // of the subtree
	grounds [MaxSquares]uint8  // number of edges from the subtree to the ground
	degrees [MaxSquares]uint16 // sum of the inner degrees of the subtree
	clock   uint8
	all     Part
	cuts    []Cut
}

// Cuts returns the cuts of a component, canonical or not; the slice is valid until the next call.
func (u *Cutter) Cuts(c Code) []Cut {
	u.code = c
	u.cuts = u.cuts[:0]
	u.clock = 0
	clear(u.order[:len(c)])
	inner, ground := c.count()
	u.all = Part{Squares: uint8(len(c)), Grounds: uint8(ground), Edges: uint8(inner/2 + ground)}
	u.search(0, None)
	return u.cuts
}

// search appends the cuts of all edges of v and of its subtree, except the edge to parent (or None).
func (u *Cutter) search(v, parent uint8) {
	u.clock++
	u.order[v] = u.clock
	low, size, grounds, degrees := u.clock, uint8(1), uint8(0), uint16(0)
	cutGround := false
	for w, i := u.code[v], 0; i < 4; i++ {
		t := uint8(w >> (8 * i))
		switch {
		case t == None:
		case t == Ground:
			grounds++
			if !cutGround {
				cutGround = true
				u.cuts = append(u.cuts, u.groundCut(v))
			}
		case t == parent:
			degrees++
		case u.order[t] == 0:
			degrees++
			at := len(u.cuts)
			u.cuts = append(u.cuts, Cut{}) // set when the subtree is known
			u.search(t, v)
			u.cuts[at] = u.treeCut(v, t)
			low = min(low, u.low[t])
			size += u.size[t]
			grounds += u.grounds[t]
			degrees += u.degrees[t]
		default:
			degrees++
			low = min(low, u.order[t])
			if u.order[t] < u.order[v] { // the other end lists no cut
				p := u.all
				p.Edges--
				u.cuts = append(u.cuts, Cut{A: v, B: t, Parts: [2]Part{p}})
			}
		}
	}
	u.low[v], u.size[v], u.grounds[v], u.degrees[v] = low, size, grounds, degrees
}

func (u *Cutter) groundCut(v uint8) Cut {
	if u.all.Grounds == 1 {
		return Cut{A: v, B: Ground, Gain: u.all.Squares}
	}
	p := u.all
	p.Grounds--
	p.Edges--
	return Cut{A: v, B: Ground, Parts: [2]Part{p}}
}

// treeCut returns the cut of the tree edge from v to t, whose subtree has been searched.
func (u *Cutter) treeCut(v, t uint8) Cut {
	c := Cut{A: v, B: t}
	p := u.all
	p.Edges--
	if u.low[t] <= u.order[v] { // not a bridge
		c.Parts[0] = p
		return c
	}
	// The degrees of the subtree of t include the deleted edge once.
	below := Part{Squares: u.size[t], Grounds: u.grounds[t], Edges: uint8((u.degrees[t]-1)/2) + u.grounds[t]}
	rest := Part{
		Squares: p.Squares - below.Squares,
		Grounds: p.Grounds - below.Grounds,
		Edges:   p.Edges - below.Edges,
	}
	switch {
	case below.Grounds == 0:
		c.Gain, c.Parts[0] = below.Squares, rest
	case rest.Grounds == 0:
		c.Gain, c.Parts[0] = rest.Squares, below
	default:
		c.Parts = [2]Part{rest, below}
	}
	return c
}
