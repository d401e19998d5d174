package graph

// Part is what is known of a component before it is labelled.
type Part struct {
	Squares uint8 // 0: no such part
	Grounds uint8 // free segments to the ground
	Edges   uint8
}

// Cut is one move inside a component: the edge it deletes and what becomes of
// the rest. A is a square, B another one or Ground; parallel free segments to
// the ground from one square are one cut.
type Cut struct {
	A, B  uint8
	Gain  uint8   // squares cut off from the ground
	Parts [2]Part // what is left, at most two components
}

// Cutter lists the cuts of a component by one depth-first search over the
// inner edges; it holds the scratch memory. The zero value is ready, one
// goroutine at a time may use it.
//
// An inner edge splits a component if and only if it is a bridge once the
// ground is removed, that is a tree edge of the search below which no back
// edge climbs over it. Each side then has its own free segments to the
// ground; a side with none is cut off, and that is a capture.
type Cutter struct {
	code    Code
	order   [MaxSquares]uint8 // square → when it was reached, from 1; 0 not yet
	low     [MaxSquares]uint8 // earliest square reached by the subtree
	size    [MaxSquares]uint8 // of the subtree
	grounds [MaxSquares]uint8
	degrees [MaxSquares]uint16 // sum of inner degrees in the subtree
	clock   uint8
	all     Part
	cuts    []Cut
}

// Cuts returns the cuts of a code; the slice is valid until the next call.
func (u *Cutter) Cuts(c Code) []Cut {
	u.code = c
	u.cuts = u.cuts[:0]
	u.clock = 0
	clear(u.order[:len(c)])
	inner, ground := c.count()
	u.all = Part{Squares: uint8(len(c)), Grounds: uint8(ground), Edges: uint8(inner/2 + ground)}
	u.visit(0, None)
	return u.cuts
}

func (u *Cutter) visit(v, parent uint8) {
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
			u.cuts = append(u.cuts, Cut{})
			u.visit(t, v)
			u.cuts[at] = u.treeCut(v, t)
			low = min(low, u.low[t])
			size += u.size[t]
			grounds += u.grounds[t]
			degrees += u.degrees[t]
		default:
			degrees++
			low = min(low, u.order[t])
			if u.order[t] < u.order[v] {
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

func (u *Cutter) treeCut(v, t uint8) Cut {
	c := Cut{A: v, B: t}
	p := u.all
	p.Edges--
	if u.low[t] <= u.order[v] { // not a bridge: something below climbs past t
		c.Parts[0] = p
		return c
	}
	// Below t: size squares with their free segments; the rest is the rest.
	// The edge itself was counted in the degrees of both ends.
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
