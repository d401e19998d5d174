package exact

import (
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// threats computes for each quiet move of a component the number of squares that the
// opponent can then capture in one move.
//
// Such a capture exists if deleting two edges, the moves of both sides, disconnects the
// component. Two edges do so if and only if the same cycles contain both. To find these
// pairs, every edge outside a spanning tree gets a random 64-bit label, and every tree edge
// the xor of the labels of the cycles through it. Edges with equal labels are such pairs,
// except with probability 2^-64; the exactness of the solver relies on hashes of this size
// throughout. Label 0 marks a bridge.
//
// The edges with one label lie on a cycle through the ground, with pieces between them:
//
//	ground -e1- piece1 -e2- piece2 -e3- … -en- ground
//
// Deleting one of them leaves two arms of pieces, each attached to the ground by a bridge.
type threats struct {
	code   graph.Code
	label  [graph.MaxSquares]uint64 // of the tree edge to the parent
	size   [graph.MaxSquares]uint8  // number of squares of the subtree
	depth  [graph.MaxSquares]uint8  // distance from the ground by breadth-first search
	parent [graph.MaxSquares]uint8
	seen   [graph.MaxSquares]bool
	first  uint8 // the root of the tree, next to the ground
	clock  [graph.MaxSquares]uint8
	time   uint8
	back   []backEdge
	groups [groupSlots]group // by label, open addressing
}

// group contains the edges with the same label.
type group struct {
	label       uint64 // 0: an empty slot
	edges       uint8
	top, bottom uint8 // sizes of the largest and the smallest subtree below its tree edges
	back        bool  // it contains an edge outside the tree
}

// groupSlots is more than twice the maximum number of edges of a component; most edges
// have a label of their own.
const groupSlots = 512

// find returns the group of a label, or the slot for it.
func (f *threats) find(label uint64) *group {
	for i := label % groupSlots; ; i = (i + 1) % groupSlots {
		if g := &f.groups[i]; g.label == label || g.label == 0 {
			return g
		}
	}
}

// group groups the edges by label.
func (f *threats) group() {
	clear(f.groups[:])
	for v := range f.code {
		if f.label[v] == 0 {
			continue // a bridge
		}
		c := f.find(f.label[v])
		if c.label == 0 {
			*c = group{label: f.label[v], bottom: 255}
		}
		c.edges++
		c.top, c.bottom = max(c.top, f.size[v]), min(c.bottom, f.size[v])
	}
	for _, e := range f.back {
		c := f.find(e.label)
		if c.label == 0 {
			*c = group{label: e.label, bottom: 255}
		}
		c.edges++
		c.back = true
	}
}

type backEdge struct {
	a, b  uint8
	label uint64
}

// load computes the labels, groups and distances of a component.
func (f *threats) load(c graph.Code) {
	f.code = c
	f.back = f.back[:0]
	f.time = 0
	n := len(c)
	clear(f.seen[:n])
	clear(f.label[:n])
	for v := range c {
		if c.Border(v, 0) == graph.Ground || c.Border(v, 1) == graph.Ground || c.Border(v, 2) == graph.Ground || c.Border(v, 3) == graph.Ground {
			f.first = uint8(v)
			break
		}
	}
	f.visit(f.first, graph.Ground)
	f.group()
	f.distances()
}

// visit is the depth-first search from square v, which was reached from parent.
func (f *threats) visit(v, parent uint8) {
	f.seen[v] = true
	f.parent[v] = parent
	f.clock[v] = f.time
	f.time++
	size := uint8(1)
	skipped := false
	for i := range 4 {
		t := f.code.Border(int(v), i)
		switch {
		case t == graph.None:
		case t == parent && !skipped:
			skipped = true // the tree edge
		case t == graph.Ground:
			l := f.newLabel(v, t)
			f.label[v] ^= l
		case !f.seen[t]:
			f.visit(t, v)
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

// newLabel returns a random label for a new back edge from a to b.
func (f *threats) newLabel(a, b uint8) uint64 {
	x := tt.Mix(uint64(len(f.back)+1) * 0x9e3779b97f4a7c15)
	f.back = append(f.back, backEdge{a, b, x})
	return x
}

// distances computes the depth of every square: its distance in edges from a square with
// an edge to the ground, 255 if there is none.
func (f *threats) distances() {
	var queue [graph.MaxSquares]uint8
	n := 0
	for v := range f.code {
		f.depth[v] = 255
		for i := range 4 {
			if f.code.Border(v, i) == graph.Ground {
				f.depth[v] = 0
				queue[n] = uint8(v)
				n++
				break
			}
		}
	}
	for head := 0; head < n; head++ {
		v := queue[head]
		for i := range 4 {
			if t := f.code.Border(int(v), i); t < graph.Ground && f.depth[t] == 255 {
				f.depth[t] = f.depth[v] + 1
				queue[n] = t
				n++
			}
		}
	}
}

// of returns the threat of deleting the edge a-b, which must not be a bridge.
func (f *threats) of(a, b uint8) int {
	// Find the edge's label and, for a tree edge, the size of the subtree below it.
	var label uint64
	below := -1
	switch {
	case b == graph.Ground && a == f.first:
		// The root edge represents all edges of its square to the ground. If there are several,
		// each has a label of its own.
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
	c := f.find(label)
	top, bottom, hasBack := int(c.top), int(c.bottom), c.back
	if c.edges < 2 {
		return 0
	}
	total := top - bottom
	if hasBack {
		total = top
	}
	if below < 0 {
		return total
	}
	arm := top - below
	return max(arm, total-arm)
}
