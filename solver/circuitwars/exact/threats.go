package exact

import (
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// threats works out what each move of a component puts within reach: the
// largest number of squares that the opponent can then cut off by one move.
//
// Two edges cut the component in two if and only if the same cycles run
// through both. Give every edge outside a spanning tree a random 64-bit label
// and every tree edge the xor of the labels of the cycles through it: then
// edges with equal labels are such pairs but for a chance of 2^-64, on which the
// bound by threats (order.go) rests as everything rests on that of keys. Label 0
// is a bridge. The edges of a class lie on a
// cycle through the ground one after the other with pieces between them;
// deleting one leaves two arms of pieces, each behind a bridge to the ground.
type threats struct {
	code   graph.Code
	label  [graph.MaxSquares]uint64 // of the tree edge into a square, xor over its subtree
	size   [graph.MaxSquares]uint8  // of the subtree
	depth  [graph.MaxSquares]uint8  // distance from the ground by breadth-first search
	parent [graph.MaxSquares]uint8
	seen   [graph.MaxSquares]bool
	first  uint8 // the square whose free segment is the root edge of the tree
	clock  [graph.MaxSquares]uint8
	time   uint8
	back   []backEdge
	groups [groupSlots]group // by label, open addressing
}

// group is the edges of one label.
type group struct {
	label       uint64 // 0: an empty slot
	edges       uint8
	top, bottom uint8 // the largest and the smallest subtree behind its tree edges
	back        bool  // an edge outside the tree is among them
}

// groupSlots is above twice the edges of a component, most of which have
// labels of their own.
const groupSlots = 512

// class finds the group of a label, or the slot where it belongs.
func (f *threats) class(label uint64) *group {
	for i := label % groupSlots; ; i = (i + 1) % groupSlots {
		if g := &f.groups[i]; g.label == label || g.label == 0 {
			return g
		}
	}
}

// group sorts the edges by their labels.
func (f *threats) group() {
	clear(f.groups[:])
	for v := range f.code {
		if f.label[v] == 0 {
			continue // a bridge
		}
		c := f.class(f.label[v])
		if c.label == 0 {
			*c = group{label: f.label[v], bottom: 255}
		}
		c.edges++
		c.top, c.bottom = max(c.top, f.size[v]), min(c.bottom, f.size[v])
	}
	for _, e := range f.back {
		c := f.class(e.label)
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

// load builds the labels of a code.
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
			skipped = true // the tree edge itself
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

func (f *threats) newLabel(a, b uint8) uint64 {
	x := tt.Mix(uint64(len(f.back)+1) * 0x9e3779b97f4a7c15)
	f.back = append(f.back, backEdge{a, b, x})
	return x
}

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

// of is the threat of deleting the edge a-b, which must be no bridge.
func (f *threats) of(a, b uint8) int {
	// Find the edge's label and, for a tree edge, the size behind it.
	var label uint64
	behind := -1
	switch {
	case b == graph.Ground && a == f.first:
		// The root edge stands for all free segments of its square; with
		// others beside it each of them has a label of its own.
		label, behind = f.label[a], int(f.size[a])
	case b != graph.Ground && f.parent[b] == a:
		label, behind = f.label[b], int(f.size[b])
	case b != graph.Ground && f.parent[a] == b:
		label, behind = f.label[a], int(f.size[a])
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
	c := f.class(label)
	top, bottom, hasBack := int(c.top), int(c.bottom), c.back
	if c.edges < 2 {
		return 0
	}
	total := top - bottom
	if hasBack {
		total = top
	}
	if behind < 0 {
		return total
	}
	arm := top - behind
	return max(arm, total-arm)
}
