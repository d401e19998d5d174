package opening

// Propagation.
//
// Let C be the classes of legal moves of a position p, and V(c) the true value of playing a
// move of c: V(p) = max over C of V(c). Suppose that every leaf proof is true and every
// child's interval contains the child's value. Then for each class the intersection of its
// leaf proof and of its child's interval, converted to the class (Value.Through), contains
// V(c), because both do; call it [lo(c), hi(c)]. Hence
//
// 	max lo(c) <= max V(c) = V(p) <= max hi(c),
//
// the right half because C covers every legal move. This interval may be intersected with
// the proofs about p itself. By induction along the graph, which has no cycles, every
// interval in a book contains the true value; if its bounds are equal, the value is exact.
// Estimates never enter a bound.
//
// A leaf proof about a class also bounds the position after the move. It is therefore part
// of the child's interval (node.fromParents), and a child's bounds are never weaker than
// those from its parents' evaluations.
//
// The estimate of p is the greatest estimate of its classes, where each is clamped to its
// own interval. The result is clamped to the interval of p. A linked class has its child's estimate, which
// looks further ahead than the leaf's.
//
// Adding a node changes the values above it only if a maximum changes, so update is called
// for the new node, its parents, and further up as long as something changes. The order
// does not affect the result: the values are a function of the set of records.

// classValue returns the value of class i of a node for the side to move. ok is false if
// the evaluation's proof and the child's exclude each other; then v is the child's.
func (b *Book) classValue(n *node, i int) (v Value, ok bool) {
	leaf, l := n.Classes[i].Leaf, n.links[i]
	if l.child < 0 {
		return leaf, true
	}
	v = b.nodes[l.child].value.Through(int(l.gain), l.passes)
	if w, ok := v.Within(leaf); ok {
		return w, true
	}
	return v, false
}

// update recomputes a node from its record and its children, and reports whether anything
// that its parents use has changed.
func (b *Book) update(id int32) bool {
	n := &b.nodes[id]
	value, conflict := b.bounds(n)
	best, est := b.bestClass(n, value.Hi)
	value.Est = est
	value = value.clamp()
	behind := Behind{Depth: n.Depth, Millis: n.Millis}
	switch {
	case value.Exact() || n.Classes[best].Ends:
		behind = Behind{}
	case n.links[best].child >= 0:
		behind = b.nodes[n.links[best].child].behind
		behind.Plies++
	}
	changed := n.best < 0 || value != n.value || behind != n.behind
	n.value, n.behind, n.best = value, behind, best
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

// bounds returns the bounds of a node from its classes, its own proofs and its parents'.
// conflict reports whether two of them exclude each other.
func (b *Book) bounds(n *node) (v Value, conflict bool) {
	v = Value{Lo: -Unbounded, Hi: -Unbounded}
	for i := range n.Classes {
		c, ok := b.classValue(n, i)
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

// bestClass returns the class with the greatest estimate and the estimate; hi is the upper
// bound of the node. An estimate above it is clamped before the comparison, so that a
// proved move comes before a refuted estimate.
func (b *Book) bestClass(n *node, hi int16) (best int32, est int16) {
	best = -1
	var bestValue Value
	for i := range n.Classes {
		v, _ := b.classValue(n, i)
		v.Est = min(v.Est, hi)
		if best < 0 || better(v, n.links[i].child >= 0, bestValue, n.links[best].child >= 0) {
			best, bestValue = int32(i), v
		}
	}
	return best, bestValue.Est
}

// better reports whether a class with value v comes before one with value w: by estimate,
// then by lower bound, then linked ones first.
func better(v Value, linked bool, w Value, wLinked bool) bool {
	switch {
	case v.Est != w.Est:
		return v.Est > w.Est
	case v.Lo != w.Lo:
		return v.Lo > w.Lo
	}
	return linked && !wLinked
}

// push marks a node for an update.
func (b *Book) push(id int32) {
	if !b.nodes[id].queued {
		b.nodes[id].queued = true
		b.queue = append(b.queue, id)
	}
}

// propagate updates the marked nodes and, while values change, their parents.
func (b *Book) propagate() {
	for i := 0; i < len(b.queue); i++ { // the queue grows during the loop
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

// propagateAll updates every node once, children before parents. It skips nodes on a cycle,
// which checkGraph reports.
func (b *Book) propagateAll() {
	for _, id := range b.childrenFirst() {
		b.update(id)
	}
	for _, id := range b.queue {
		b.nodes[id].queued = false
	}
	b.queue = b.queue[:0]
}

// childrenFirst orders the nodes so that every child comes before its parents.
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
	for i := 0; i < len(order); i++ { // the order grows during the loop
		for _, p := range b.nodes[order[i]].parents {
			if missing[p]--; missing[p] == 0 {
				order = append(order, p)
			}
		}
	}
	return order
}
