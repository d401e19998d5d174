package opening

// Propagation.
//
// Let C be the classes of legal moves of a position p, and V(c) the true value
// of playing a move of c: V(p) = max over C of V(c). Suppose that every leaf
// proof is true and every child's interval contains the child's value. Then
// for each class the intersection of its leaf proof and of its child's
// interval, taken through the move (Value.Through), contains V(c), because
// both do; call it [lo(c), hi(c)]. Hence
//
//	max lo(c) <= max V(c) = V(p) <= max hi(c),
//
// the right half because C covers every legal move; and the proofs about p
// itself may be intersected with that. So, by induction along the graph, which
// has no cycles, every interval in a book contains the true value, and where
// its ends meet the value is exact. Estimates never enter a bound.
//
// A leaf proof about a class is one about the position after the move as well:
// V(child) is V(c) taken back through the move. So it goes into the child's
// interval (node.given), and a child's proofs are never weaker than what its
// parents' evaluations said.
//
// The estimate of p is the greatest estimate of its classes, each cut to its
// own interval, cut to the interval of p. A linked class has its child's
// estimate, which knows more than the leaf's did.
//
// Adding a node changes the values above it only where the maximum changes, so
// work() is called for the new node, its parents, and on upwards as long as
// something changed. The order does not matter for the result: the value of a
// node is a function of the facts below it.

// classValue is what class i of a node is worth to its mover. ok is false when
// the evaluation's proof and the child's exclude each other; then the child's
// stands.
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

// work works out a node from its facts and its children, and says whether what
// its parents see of it has changed.
func (b *Book) work(id int32) bool {
	n := &b.nodes[id]
	conflict := false
	out := Value{Lo: -Unbounded, Hi: -Unbounded}
	for i := range n.Classes {
		v, ok := b.classValue(n, i)
		conflict = conflict || !ok
		out.Lo, out.Hi = max(out.Lo, v.Lo), max(out.Hi, v.Hi)
	}
	for _, proof := range []Value{n.Own, n.given} {
		v, ok := out.Within(proof)
		out, conflict = v, conflict || !ok
	}
	out = out.settle(b.game.ProofScale())
	// An estimate above what is proved possible is cut before it is compared,
	// so that a proved move comes before a refuted hope.
	best := int32(-1)
	var bestValue Value
	for i := range n.Classes {
		v, _ := b.classValue(n, i)
		v.Est = min(v.Est, out.Hi)
		if best < 0 || better(v, n.links[i].child >= 0, bestValue, n.links[best].child >= 0) {
			best, bestValue = int32(i), v
		}
	}
	out.Est = bestValue.Est
	out = out.clamp()
	behind := Behind{Depth: n.Depth, Millis: n.Millis}
	switch {
	case out.Exact() || n.Classes[best].Ends:
		behind = Behind{}
	case n.links[best].child >= 0:
		behind = b.nodes[n.links[best].child].behind
		behind.Plies++
	}
	changed := n.best < 0 || out != n.value || behind != n.behind
	n.value, n.behind, n.best = out, behind, best
	if conflict != n.conflict {
		n.conflict = conflict
		if conflict {
			b.conflicts++
			b.lastConflict = id
		} else {
			b.conflicts--
		}
	}
	if b.frontier != nil && b.frontier.price(b, id) {
		changed = true
	}
	return changed
}

// better orders the classes of a node: by estimate, then by what is proved,
// then linked ones first. Equal ones keep their order.
func better(v Value, linked bool, w Value, wLinked bool) bool {
	switch {
	case v.Est != w.Est:
		return v.Est > w.Est
	case v.Lo != w.Lo:
		return v.Lo > w.Lo
	}
	return linked && !wLinked
}

// push marks a node to be worked out.
func (b *Book) push(id int32) {
	if !b.nodes[id].queued {
		b.nodes[id].queued = true
		b.queue = append(b.queue, id)
	}
}

// propagate works out what is marked, and on upwards while something changes.
func (b *Book) propagate() {
	for at := 0; at < len(b.queue); at++ {
		id := b.queue[at]
		b.nodes[id].queued = false
		if b.work(id) {
			for _, p := range b.nodes[id].parents {
				b.push(p)
			}
		}
	}
	b.queue = b.queue[:0]
}

// propagateAll works out every node, children before parents, each once: nodes on a
// cycle, which checkGraph reports, are left as they are.
func (b *Book) propagateAll() {
	for _, id := range b.childrenFirst() {
		b.work(id)
	}
	for _, id := range b.queue {
		b.nodes[id].queued = false
	}
	b.queue = b.queue[:0]
}

// childrenFirst orders the nodes so that every child comes before its parents.
func (b *Book) childrenFirst() []int32 {
	open := make([]int32, len(b.nodes)) // children that are still to come
	var order []int32
	for id := range b.nodes {
		for _, l := range b.nodes[id].links {
			if l.child >= 0 {
				open[id]++
			}
		}
		if open[id] == 0 {
			order = append(order, int32(id))
		}
	}
	for at := 0; at < len(order); at++ {
		for _, p := range b.nodes[order[at]].parents {
			if open[p]--; open[p] == 0 {
				order = append(order, p)
			}
		}
	}
	return order
}
