package opening

import (
	"math"

	"endwise/engine"
)

// Drop-out expansion (Lincke 2000): the next leaf is the one whose line from the root loses
// least against best play, plus a cost for every move, so that short lines come before long
// ones.
//
// Each move of a line loses drop = estimate of the node - estimate of the move, which is 0
// for the best move. The cost of the cheapest leaf below a node is
//
// 	cost(n) = min over open classes of  move cost + drop + cost(child)
//
// with cost 0 for a class that is not linked. Costs are computed together with the values
// and stored in the nodes, so the next leaf is found by descending from the root along the
// cheapest classes.
//
// A class is open if expanding it can change the value of its node, that is, while
// hi(class) > lo(node). If hi(class) <= lo(node), the node's value is the maximum over the
// other classes or equal to lo(node), whatever the value of the class, and the class cannot
// improve a bound of the node. Exact classes are not open.

// never is the cost of a node without an open leaf below it.
const never = math.MaxInt32

// moveCost is the cost of a move, in hundredths of a point.
const moveCost = 50

type frontier struct {
	root     int32 // -1 if the root is not a node yet
	rootKey  string
	perPoint int32 // cost of one point of a score
	depth    int   // maximum number of moves between the root and a leaf, 0 for no limit
}

// leaf is a class to be expanded.
type leaf struct {
	node  int32
	class int
	// drop is the loss of its line, in hundredths of a point.
	drop int32
}

// setFrontier prepares growing from a root, nil for the board's first position.
func (b *Book) setFrontier(root engine.Position, depth int) error {
	f := &frontier{root: -1, perPoint: 100, depth: depth}
	if b.game.ProofScale() > 1 {
		f.perPoint = 1 // scores are hundredths already
	}
	if root == nil {
		start, err := b.Start()
		if err != nil {
			return err
		}
		root = start
	}
	if err := b.own(root); err != nil {
		return err
	}
	key, _ := root.CanonicalKey(nil)
	f.rootKey = string(key)
	b.frontier = f
	id, ok := b.find(f.rootKey)
	if ok {
		f.root = id
	}
	b.countPlies(id, ok)
	b.propagateAll()
	return nil
}

// countPlies sets the ply of every node, counted from a root if there is one.
func (b *Book) countPlies(root int32, ok bool) {
	for id := range b.nodes {
		b.nodes[id].ply = noPly
	}
	if ok {
		b.nodes[root].ply = 0
		b.lowerPlies(root)
	}
}

// setPly sets the ply of a new node from its parents and updates the nodes below it.
func (b *Book) setPly(id int32) {
	f := b.frontier
	n := &b.nodes[id]
	ply := noPly
	if n.Key == f.rootKey {
		f.root, ply = id, 0
	}
	for _, p := range n.parents {
		ply = min(ply, int(b.nodes[p].ply)+1)
	}
	n.ply = uint16(ply)
	if n.ply != noPly {
		b.lowerPlies(id)
	}
}

// lowerPlies updates the plies below a node whose ply has decreased.
func (b *Book) lowerPlies(id int32) {
	for queue := []int32{id}; len(queue) > 0; queue = queue[1:] {
		n := &b.nodes[queue[0]]
		if b.frontier != nil {
			b.push(queue[0]) // the remaining depth below it may change
		}
		for i := range n.links {
			if c := n.links[i].child; c >= 0 && b.nodes[c].ply > n.ply+1 {
				b.nodes[c].ply = n.ply + 1
				queue = append(queue, c)
			}
		}
	}
}

// open returns the loss by class i of a node; ok is false if the class is not open.
func (f *frontier) open(b *Book, n *node, i int) (drop int32, ok bool) {
	if n.Classes[i].Ends || n.links[i].child == inFlight {
		return 0, false
	}
	v, _ := b.classValue(n, i)
	if v.Hi <= n.value.Lo {
		return 0, false
	}
	return (int32(n.value.Est) - int32(min(v.Est, n.value.Est))) * f.perPoint, true
}

// updateCost recomputes the cost of a node and reports whether it changed.
func (f *frontier) updateCost(b *Book, id int32) bool {
	n := &b.nodes[id]
	cost := int32(never)
	if !n.value.Exact() && !(f.depth > 0 && int(n.ply) >= f.depth) {
		for i := range n.Classes {
			if x, _, ok := f.follow(b, n, i); ok {
				cost = min(cost, x)
			}
		}
	}
	changed := cost != n.cost
	n.cost = cost
	return changed
}

// follow returns the cost of the cheapest leaf through class i, and the loss by the class
// itself.
func (f *frontier) follow(b *Book, n *node, i int) (cost, drop int32, ok bool) {
	drop, ok = f.open(b, n, i)
	if !ok {
		return 0, 0, false
	}
	cost = moveCost + drop
	if l := n.links[i]; l.child >= 0 {
		below := b.nodes[l.child].cost
		if below == never {
			return 0, 0, false
		}
		cost = int32(min(int64(cost)+int64(below), never-1))
	}
	return cost, drop, true
}

// next returns the cheapest open leaf; ok is false if there is none.
func (b *Book) next() (l leaf, ok bool) {
	f := b.frontier
	if f.root < 0 || b.nodes[f.root].cost == never {
		return l, false
	}
	for id := f.root; ; {
		n := &b.nodes[id]
		best, bestCost := -1, int32(never)
		var bestDrop int32
		for i := range n.Classes {
			if cost, drop, ok := f.follow(b, n, i); ok && cost < bestCost {
				best, bestCost, bestDrop = i, cost, drop
			}
		}
		if best < 0 {
			return l, false // impossible while costs are up to date
		}
		l.drop += bestDrop
		to := n.links[best]
		if to.child < 0 {
			l.node, l.class = id, best
			return l, true
		}
		id = to.child
	}
}

// startLeaf marks a leaf as being evaluated; next skips it from now on.
func (b *Book) startLeaf(l leaf) {
	b.nodes[l.node].links[l.class].child = inFlight
	b.push(l.node)
	b.propagate()
}

// releaseLeaf undoes startLeaf for a leaf that was not evaluated.
func (b *Book) releaseLeaf(l leaf) {
	if to := &b.nodes[l.node].links[l.class]; to.child == inFlight {
		to.child = unlinked
	}
	b.push(l.node)
	b.propagate()
}
