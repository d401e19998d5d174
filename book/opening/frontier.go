package opening

import (
	"math"

	"endwise/engine"
)

// Drop-out expansion (Lincke 2000): the next leaf is the one whose line from
// the root gives up least against best play, plus a cost for every move, so
// that long lines wait for short ones.
//
// A line's moves each give up drop = estimate of the node - estimate of the
// move, which is 0 for the best. The cheapest leaf below a node,
//
//	cost(n) = min over open classes of  move cost + drop + cost(child)
//
// with 0 for the child of a class that is not linked, is worked out together
// with the values and kept in every node, so that the next leaf is found by
// walking down from the root along the cheapest classes.
//
// A class is open while expanding it can change the value of its node: while
// hi(class) > lo(node). Where hi(class) <= lo(node), the node's value is
// max over the other classes or equal to lo(node), whatever the class is
// worth, and no bound of the node can get better through it; exact classes are
// of that kind.

// never is the cost of a node without an open leaf below it.
const never = math.MaxInt32

// moveCost is the cost of a move, in hundredths of a point.
const moveCost = 50

type frontier struct {
	root     int32 // -1 until the root is a node
	rootKey  string
	perPoint int32 // cost of one point of a score
	depth    int   // the maximum number of moves between the root and a leaf, 0 for no limit
}

// leaf is a class to be expanded.
type leaf struct {
	node  int32
	class int
	// drop is what its line gives up, in hundredths of a point.
	drop int32
}

// setFrontier starts the bookkeeping for growing from a root, nil for the board's first
// position.
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

// setPly sets the ply of a new node from its parents, and hands it on.
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

// lowerPlies hands shorter ways through a node on to what lies below.
func (b *Book) lowerPlies(id int32) {
	for queue := []int32{id}; len(queue) > 0; queue = queue[1:] {
		n := &b.nodes[queue[0]]
		if b.frontier != nil {
			b.push(queue[0]) // the depth to which it is followed may change
		}
		for i := range n.links {
			if c := n.links[i].child; c >= 0 && b.nodes[c].ply > n.ply+1 {
				b.nodes[c].ply = n.ply + 1
				queue = append(queue, c)
			}
		}
	}
}

// open returns how much class i of a node gives up; ok is false if the class is not
// open.
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

// price works out cost of a node and says whether it changed.
func (f *frontier) price(b *Book, id int32) bool {
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

// follow returns the cost of the cheapest leaf through class i, and how much the class
// itself gives up.
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

// next is the cheapest open leaf; ok is false when there is none.
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
			return l, false // never with costs up to date
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

// take marks a leaf as being evaluated; next passes it over from now on.
func (b *Book) take(l leaf) {
	b.nodes[l.node].links[l.class].child = inFlight
	b.push(l.node)
	b.propagate()
}

// giveBack undoes take for a leaf that was not evaluated.
func (b *Book) giveBack(l leaf) {
	if to := &b.nodes[l.node].links[l.class]; to.child == inFlight {
		to.child = unlinked
	}
	b.push(l.node)
	b.propagate()
}
