package opening

// The value of a node is computed from its record and its children's values.
//
// Bounds. Let C be the legal moves of a position p, and V(c) the true value of move c, so that
// V(p) = max over C of V(c). Suppose that the bounds in all records are true, and that every child's
// interval contains the child's true value. A move has an interval from its own evaluation
// (storedMove.Eval) and, if it is linked, one from its child, converted by Value.Through. Both contain
// V(c), so their intersection [lo(c), hi(c)] does. Hence
//
// 	max lo(c) <= max V(c) = V(p) <= max hi(c).
//
// The interval of p is this one, intersected with the bounds that evaluations prove for p itself:
// record.Own and node.fromParents. By induction along the graph, which has no cycles, every interval
// in a book contains the true value.
//
// Estimates. The estimate of a move comes from its child if the move is linked, otherwise from its
// evaluation, and is clamped to the interval of the move. The estimate of p is the greatest of these,
// clamped to the interval of p.

// moveValue returns the value of move i of a node for the side to move. ok is false, and v the child's
// value, if the bounds of the child and of the move's evaluation exclude each other.
func (b *Book) moveValue(n *node, i int) (v Value, ok bool) {
	eval, l := n.Moves[i].Eval, n.links[i]
	if l.child < 0 {
		return eval, true
	}
	return b.nodes[l.child].value.Through(int(l.gain), l.passes).Within(eval)
}

// update recomputes a node. It reports whether its value, origin or cost has changed.
func (b *Book) update(id int32) bool {
	n := &b.nodes[id]
	value, conflict := b.bounds(n)
	best, est := b.bestMove(n, value.Hi)
	value.Est = est
	value = value.clamp()
	origin := Origin{Depth: n.Depth, Millis: n.Millis}
	switch {
	case value.Exact() || n.Moves[best].Ends:
		origin = Origin{}
	case n.links[best].child >= 0:
		origin = b.nodes[n.links[best].child].origin
		origin.Plies++
	}
	changed := n.best < 0 || value != n.value || origin != n.origin
	n.value, n.origin, n.best = value, origin, best
	if conflict != n.conflict {
		n.conflict = conflict
		if conflict {
			b.conflicts++
			b.lastConflict = id
		} else {
			b.conflicts--
		}
	}
	if b.frontier != nil && b.frontier.updateCost(b, id) {
		changed = true
	}
	return changed
}

// bounds computes the bounds of a node. conflict reports whether two intervals exclude each other.
func (b *Book) bounds(n *node) (v Value, conflict bool) {
	v = Value{Lo: -Unbounded, Hi: -Unbounded}
	for i := range n.Moves {
		c, ok := b.moveValue(n, i)
		conflict = conflict || !ok
		v.Lo, v.Hi = max(v.Lo, c.Lo), max(v.Hi, c.Hi)
	}
	for _, proof := range []Value{n.Own, n.fromParents} {
		var ok bool
		v, ok = v.Within(proof)
		conflict = conflict || !ok
	}
	return v.settle(b.game.ProofScale()), conflict
}

// bestMove returns the best move and its estimate. Estimates above hi, the upper bound of the node,
// count as hi, so a move proved to be worth hi comes before one with an estimate that is too high.
func (b *Book) bestMove(n *node, hi int16) (best int32, est int16) {
	best = -1
	var bestValue Value
	for i := range n.Moves {
		v, _ := b.moveValue(n, i)
		v.Est = min(v.Est, hi)
		if best < 0 || better(v, n.links[i].child >= 0, bestValue, n.links[best].child >= 0) {
			best, bestValue = int32(i), v
		}
	}
	return best, bestValue.Est
}

// better compares two moves by estimate, then by lower bound, then by being linked.
func better(v Value, linked bool, w Value, wLinked bool) bool {
	switch {
	case v.Est != w.Est:
		return v.Est > w.Est
	case v.Lo != w.Lo:
		return v.Lo > w.Lo
	}
	return linked && !wLinked
}

func (b *Book) push(id int32) {
	if !b.nodes[id].queued {
		b.nodes[id].queued = true
		b.queue = append(b.queue, id)
	}
}

// propagate updates the queued nodes and, as long as update reports changes, their parents.
func (b *Book) propagate() {
	for i := 0; i < len(b.queue); i++ {
		id := b.queue[i]
		b.nodes[id].queued = false
		if b.update(id) {
			for _, p := range b.nodes[id].parents {
				b.push(p)
			}
		}
	}
	b.queue = b.queue[:0]
}

// propagateAll updates every node once, except those on a cycle or above one, and empties the queue.
func (b *Book) propagateAll() {
	for _, id := range b.childrenFirst() {
		b.update(id)
	}
	for _, id := range b.queue {
		b.nodes[id].queued = false
	}
	b.queue = b.queue[:0]
}

// childrenFirst returns the nodes, children before their parents, except nodes on a cycle or above one.
func (b *Book) childrenFirst() []int32 {
	missing := make([]int32, len(b.nodes)) // number of children not yet in order
	var order []int32
	for id := range b.nodes {
		for _, l := range b.nodes[id].links {
			if l.child >= 0 {
				missing[id]++
			}
		}
		if missing[id] == 0 {
			order = append(order, int32(id))
		}
	}
	for i := 0; i < len(order); i++ {
		for _, p := range b.nodes[order[i]].parents {
			if missing[p]--; missing[p] == 0 {
				order = append(order, p)
			}
		}
	}
	return order
}
