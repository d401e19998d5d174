package opening

import (
	"math"

	"endwise/engine"
)

// Drop-out expansion (Lincke 2000) chooses the next position to evaluate. A leaf is a move that is
// not linked. A line is a path of moves from the root to a leaf; its cost is the sum of the losses of
// its moves and of a fixed cost per move. The position after the leaf of the cheapest line becomes a
// node first.
//
// The loss of a move is the estimate of the node minus that of the move, but at least 0. The cost of
// the cheapest leaf below a node n is
//
// 	cost(n) = min over open moves of  move cost + loss + cost(child)
//
// with cost(child) = 0 for a leaf. No line leads through a proved node or beyond the depth limit.
//
// A move is open if hi(move) > lo(node), for the upper bound hi and the lower bound lo: otherwise its
// expansion cannot change the value of the node. A move that ends the game, or whose position is
// being evaluated, is not open.

const noLeaf = math.MaxInt32

// moveCost is in hundredths of a point.
const moveCost = 50

type frontier struct {
	root    int32 // the node where lines start, -1 if it does not exist yet
	rootKey string
	perUnit int32 // hundredths of a point per unit of Value
	depth   int   // maximum number of moves from the root to a new node, 0 for no limit
}

type leaf struct {
	node int32
	move int   // index in the node's Moves
	loss int32 // sum of the losses on the line, in hundredths of a point
}

// setFrontier sets b.frontier, and the ply and cost of every node. root nil stands for the start of a
// game. It returns [ErrForeign] if root belongs to another game or board.
func (b *Book) setFrontier(root engine.Position, depth int) error {
	f := &frontier{root: -1, perUnit: 100, depth: depth}
	if b.game.ProofScale() > 1 {
		f.perUnit = 1
	}
	if root == nil {
		start, err := b.Start()
		if err != nil {
			return err
		}
		root = start
	}
	if err := b.checkBoard(root); err != nil {
		return err
	}
	key, _ := root.CanonicalKey(nil)
	f.rootKey = string(key)
	b.frontier = f
	for id := range b.nodes {
		b.nodes[id].ply = noPly
	}
	if id, ok := b.find(f.rootKey); ok {
		f.root = id
		b.nodes[id].ply = 0
		b.lowerPlies(id)
	}
	b.propagateAll()
	return nil
}

// setPly sets the ply of a new node, which may be the root, and lowers the plies of the nodes below it.
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

// lowerPlies lowers the plies of all nodes below a node whose ply has decreased, and queues these nodes
// because their costs depend on the plies.
func (b *Book) lowerPlies(id int32) {
	for queue := []int32{id}; len(queue) > 0; queue = queue[1:] {
		n := &b.nodes[queue[0]]
		b.push(queue[0])
		for i := range n.links {
			if c := n.links[i].child; c >= 0 && b.nodes[c].ply > n.ply+1 {
				b.nodes[c].ply = n.ply + 1
				queue = append(queue, c)
			}
		}
	}
}

// moveLoss returns the loss of move i of a node, in hundredths of a point. ok is false if the move is
// not open.
func (f *frontier) moveLoss(b *Book, n *node, i int) (loss int32, ok bool) {
	if n.Moves[i].Ends || n.links[i].child == inFlight {
		return 0, false
	}
	v, _ := b.moveValue(n, i)
	if v.Hi <= n.value.Lo {
		return 0, false
	}
	return (int32(n.value.Est) - int32(min(v.Est, n.value.Est))) * f.perUnit, true
}

// updateCost recomputes the cost of a node and reports whether it has changed.
func (f *frontier) updateCost(b *Book, id int32) bool {
	n := &b.nodes[id]
	cost := int32(noLeaf)
	tooDeep := f.depth > 0 && int(n.ply) >= f.depth
	if !n.value.Exact() && !tooDeep {
		for i := range n.Moves {
			if x, _, ok := f.costThrough(b, n, i); ok {
				cost = min(cost, x)
			}
		}
	}
	changed := cost != n.cost
	n.cost = cost
	return changed
}

// costThrough returns the cost of the cheapest leaf reached through move i of a node, and the loss of
// the move. ok is false if no open leaf is reached.
func (f *frontier) costThrough(b *Book, n *node, i int) (cost, loss int32, ok bool) {
	loss, ok = f.moveLoss(b, n, i)
	if !ok {
		return 0, 0, false
	}
	cost = moveCost + loss
	if l := n.links[i]; l.child >= 0 {
		below := b.nodes[l.child].cost
		if below == noLeaf {
			return 0, 0, false
		}
		cost = int32(min(int64(cost)+int64(below), noLeaf-1))
	}
	return cost, loss, true
}

// cheapestLeaf returns the leaf of the cheapest line; ok is false if no leaf is open.
func (b *Book) cheapestLeaf() (l leaf, ok bool) {
	f := b.frontier
	if f.root < 0 || b.nodes[f.root].cost == noLeaf {
		return l, false
	}
	for id := f.root; ; {
		n := &b.nodes[id]
		best, bestCost := -1, int32(noLeaf)
		var bestLoss int32
		for i := range n.Moves {
			if cost, loss, ok := f.costThrough(b, n, i); ok && cost < bestCost {
				best, bestCost, bestLoss = i, cost, loss
			}
		}
		if best < 0 {
			return l, false // impossible while costs are up to date
		}
		l.loss += bestLoss
		child := n.links[best].child
		if child < 0 {
			l.node, l.move = id, best
			return l, true
		}
		id = child
	}
}

// startLeaf records that the position after a leaf is being evaluated, so that no other line ends there.
func (b *Book) startLeaf(l leaf) {
	b.nodes[l.node].links[l.move].child = inFlight
	b.push(l.node)
	b.propagate()
}

// releaseLeaf undoes startLeaf, unless the move has been linked.
func (b *Book) releaseLeaf(l leaf) {
	if to := &b.nodes[l.node].links[l.move]; to.child == inFlight {
		to.child = unlinked
	}
	b.push(l.node)
	b.propagate()
}
