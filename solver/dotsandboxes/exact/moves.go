package exact

// listMoves lists the moves of p.shape in p.moves[:p.n], in the order of the first edges of their
// chains or of shape.shift if g.shifted is set; those in isolated chains and loops come last. It
// omits moves with upper bounds (T3) below t, and returns the largest of these bounds or -infinity.
//
// T2. One move per chain suffices. In a chain of one box, both lines give away the box and lead to
// the same position. In a chain of two, the middle line (the hard-hearted handout) is best: after
// the outer lines the opponent also has a double-deal. In a chain of three or more, any line will
// do, and the opponent may double-deal for 4; in an isolated loop, for 8. After a chain from a joint
// of three lines back to itself, the joint and its third chain are captured too.
//
// T3. After a move that gives away K boxes with a double-deal at price h the opponent gets K +
// max(V, -h-V) >= K - h/2, so the move is worth at most h/2 - K.
//
// T4. Only the shortest isolated chain of at least three boxes, the shortest isolated loop and the
// shortest isolated chain of at most two boxes need to be tried (Berlekamp, "The Dots and Boxes
// Game", 2000).
func (g *graph) listMoves(p *ply, t int, use features) int {
	s := &p.shape
	omitted := -infinity
	p.n = 0
	var grounded [ground + 1]uint64 // joint → set of the lengths of its chains to the ground
	for i := range s.count + s.extra {
		c := &s.chains[i]
		if c.b == ground {
			// Chains of the same length from one joint to the ground are symmetric.
			if grounded[c.a]>>c.length&1 != 0 && use&noDominance == 0 {
				continue
			}
			grounded[c.a] |= 1 << c.length
		}
		m := Move{Child: s.mask &^ c.edges, Taken: int16(c.length), Price: 4, chain: int16(i)}
		switch {
		case c.length <= 2: // too short to be a cycle
			m.Price = infinity
		case c.a != c.b || c.a == ground || s.degree[c.a] == 4:
			// The price is 4.
		case s.degree[c.a] == 2: // a loop, with noDominance
			m.Price = 8
		default: // from a joint of three lines back to itself
			third := s.thirdChain(i)
			m.Child &^= third.edges
			m.Taken += 1 + int16(third.length)
		}
		omitted = max(omitted, g.addMove(p, m, t, use))
	}
	for kind, price := range [3]int16{shortChain: infinity, longChain: 4, loop: 8} {
		if c := &s.shortest[kind]; c.edges != 0 {
			m := Move{Child: s.mask &^ c.edges, Taken: int16(c.length), Price: price, chain: -1}
			omitted = max(omitted, g.addMove(p, m, t, use))
		}
	}
	return omitted
}

// addMove adds a move to p.moves, at its place in search order, and returns -infinity. If the upper
// bound of the move's value (T3) is below t, it omits the move and returns the bound.
func (g *graph) addMove(p *ply, m Move, t int, use features) int {
	if m.Price != infinity && use&noLoonyBound == 0 {
		bound := int(m.Price)/2 - int(m.Taken)
		if bound -= (bound - t) & 1; bound < t { // t has the parity of all values
			return bound
		}
	}
	m.place = int16(p.n)
	if g.shifted {
		m.place += p.shape.shift(&m, g.overtake)
	}
	i := p.n
	for ; i > 0 && p.moves[i-1].place > m.place; i-- {
		p.moves[i] = p.moves[i-1]
	}
	p.moves[i] = m
	p.n++
	return -infinity
}

// thirdChain returns the other chain at the joint of three lines at which chain i begins and ends.
func (s *shape) thirdChain(i int) *chain {
	j := s.chains[i].a
	for k := range s.count {
		if c := &s.chains[k]; k != i && (c.a == j || c.b == j) {
			return c
		}
	}
	panic("exact: a joint of three lines has two chains only")
}
