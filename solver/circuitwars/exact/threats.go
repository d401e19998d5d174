package exact

import (
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// threats computes for each quiet move the number of squares that the opponent can then capture.
//
// Such a capture exists if deleting two edges, the moves of both sides, disconnects the component.
// Two edges do so if and only if the same cycles contain both. So every edge outside a spanning tree
// gets a random 64-bit label, and every tree edge the xor of the labels of the cycles through it.
// Edges with equal labels are such pairs, except with probability 2^-64. Label 0 is a bridge.
//
// The edges with one label lie on a cycle through the ground, with pieces between them:
//
//	ground -e1- piece1 -e2- piece2 -e3- … -en- ground
//
// Deleting one leaves two arms of pieces, attached by bridges. The opponent can capture the larger.
type threats struct {
	code   graph.Code
	label  [graph.MaxSquares]uint64 // of the tree edge to the parent
	size   [graph.MaxSquares]uint8  // of the subtree
	depth  [graph.MaxSquares]uint8
	parent [graph.MaxSquares]uint8
	seen   [graph.MaxSquares]bool
	first  uint8                   // the only child of the ground, the tree's root
	clock  [graph.MaxSquares]uint8 // order in which the squares were reached
	time   uint8
	back   []backEdge
	groups [groupSlots]group // by label, open addressing
}

// group describes the edges with the same label. At most one is outside the tree; the subtrees
// below the others are nested.
type group struct {
	label       uint64 // 0: an empty slot
	edges       uint8
	top, bottom uint8 // sizes of the largest and the smallest of these subtrees
	back        bool  // contains an edge outside the tree
}

// groupSlots is more than twice the maximum number of edges of a component.
const groupSlots = 512

// find returns the group of a label, or the empty slot for it.
func (f *threats) find(label uint64) *group {
	for i := label % groupSlots; ; i = (i + 1) % groupSlots {
		if g := &f.groups[i]; g.label == label || g.label == 0 {
			return g
		}
	}
}

// groupEdges computes f.groups from the labels of all edges that are not bridges.
func (f *threats) groupEdges() {
	clear(f.groups[:])
	add := func(label uint64) *group {
		g := f.find(label)
		if g.label == 0 {
			*g = group{label: label, bottom: 255}
		}
		g.edges++
		return g
	}
	for v := range f.code {
		if f.label[v] != 0 {
			g := add(f.label[v])
			g.top, g.bottom = max(g.top, f.size[v]), min(g.bottom, f.size[v])
		}
	}
	for _, e := range f.back {
		add(e.label).back = true
	}
}

// backEdge is an edge outside the tree; b may be graph.Ground.
type backEdge struct {
	a, b  uint8
	label uint64
}

// load computes all fields for component c, before capturable and rank.
func (f *threats) load(c graph.Code) {
	f.code = c
	f.back = f.back[:0]
	f.time = 0
	n := len(c)
	clear(f.seen[:n])
	clear(f.label[:n])
	for v := range c {
		if grounded(c, v) {
			f.first = uint8(v)
			break
		}
	}
	f.search(f.first, graph.Ground)
	f.groupEdges()
	f.distances()
}

func grounded(c graph.Code, v int) bool {
	for i := range 4 {
		if c.Border(v, i) == graph.Ground {
			return true
		}
	}
	return false
}

// search visits the subtree of v. It sets the fields of the squares and appends to f.back.
func (f *threats) search(v, parent uint8) {
	f.seen[v] = true
	f.parent[v] = parent
	f.clock[v] = f.time
	f.time++
	size := uint8(1)
	skipped := false // whether the tree edge was met; parallel edges to the ground are back edges
	for i := range 4 {
		t := f.code.Border(int(v), i)
		switch {
		case t == graph.None:
		case t == parent && !skipped:
			skipped = true
		case t == graph.Ground:
			l := f.newLabel(v, t)
			f.label[v] ^= l
		case !f.seen[t]:
			f.search(t, v)
			size += f.size[t]
			f.label[v] ^= f.label[t]
		case f.clock[t] < f.clock[v]:
			l := f.newLabel(v, t)
			f.label[v] ^= l
			f.label[t] ^= l
		}
	}
	f.size[v] = size
}

func (f *threats) newLabel(a, b uint8) uint64 {
	x := tt.Mix(uint64(len(f.back)+1) * 0x9e3779b97f4a7c15)
	f.back = append(f.back, backEdge{a, b, x})
	return x
}

const unreached = 255

// distances computes each square's depth, its distance from the nearest square at the ground.
func (f *threats) distances() {
	var queue [graph.MaxSquares]uint8
	n := 0
	for v := range f.code {
		f.depth[v] = unreached
		if grounded(f.code, v) {
			f.depth[v] = 0
			queue[n] = uint8(v)
			n++
		}
	}
	for head := 0; head < n; head++ {
		v := queue[head]
		for i := range 4 {
			if t := f.code.Border(int(v), i); t < graph.Ground && f.depth[t] == unreached {
				f.depth[t] = f.depth[v] + 1
				queue[n] = t
				n++
			}
		}
	}
}

// capturable returns the number of squares that the opponent can capture in one move after the edge
// between a and b is deleted. b may be the ground. The edge must not be a bridge.
func (f *threats) capturable(a, b uint8) int {
	var label uint64
	below := -1
	switch {
	case b == graph.Ground && a == f.first:
		// All edges of the square to the ground are parallel to the root edge.
		label, below = f.label[a], int(f.size[a])
	case b != graph.Ground && f.parent[b] == a:
		label, below = f.label[b], int(f.size[b])
	case b != graph.Ground && f.parent[a] == b:
		label, below = f.label[a], int(f.size[a])
	default:
		for _, e := range f.back {
			if e.a == a && e.b == b || e.a == b && e.b == a {
				label = e.label
				break
			}
		}
	}
	if label == 0 {
		return 0
	}
	g := f.find(label)
	if g.edges < 2 {
		return 0
	}
	// The largest subtree contains all pieces. Without a back edge in the group, other back edges
	// connect the smallest subtree with the ground.
	pieces := int(g.top)
	if !g.back {
		pieces -= int(g.bottom)
	}
	if below < 0 {
		return pieces // only one arm remains
	}
	arm := int(g.top) - below
	return max(arm, pieces-arm)
}
