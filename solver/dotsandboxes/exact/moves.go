package exact

// options lists the moves of p.shape in search order in p.moves[:p.n], those
// left out that cannot reach t, and returns a bound on what those could give.
//
// T2. One move a chain is enough. Of a chain of one box either line gives the
// box away and leaves the same; of two boxes the middle line (a hard-hearted
// handout: the opponent cannot refuse with a double-deal, which the outer
// lines would allow him on top); of three and more any line, and the opponent
// may double-deal for 4; of an isolated loop any line, for 8. A chain from a
// joint of three lines back to itself leaves the joint with one line: it is
// captured as well, and the chain behind it.
//
// T3. After a move that gives K boxes with a double-deal at price h the
// opponent gets K + max(V, -h-V) >= K - h/2, so the move is worth at most
// h/2 - K.
//
// T4. Among isolated chains of at least three boxes, among isolated loops and
// among isolated chains of at most two, only the shortest needs trying
// (Berlekamp, "The Dots and Boxes Game", 2000): take leaves just that one.
//
// The order is that of the chains' first edges, lines and sacrifices alike,
// isolated chains and loops last; in the frame of a position of a larger board,
// with the shifts of shape.shift.
func (g *graph) options(p *ply, t int, use features) int {
	s := &p.shape
	best := -infinity
	p.n = 0
	var grounded [ground + 1]uint64 // joint → lengths of its chains to the ground
	for i := range s.count + s.extra {
		c := &s.chains[i]
		if c.b == ground {
			// A second chain of the same length from the same joint to the
			// ground is the same move, by the symmetry that swaps the two.
			if grounded[c.a]>>c.length&1 != 0 && use&noDominance == 0 {
				continue
			}
			grounded[c.a] |= 1 << c.length
		}
		m := Move{Child: s.mask &^ c.edges, Taken: int16(c.length), Price: 4, chain: int16(i)}
		switch {
		case c.length <= 2:
			m.Price = infinity
		case c.a != c.b || c.a == ground || s.degree[c.a] == 4:
		case s.degree[c.a] == 2:
			m.Price = 8
		default:
			tail := s.behind(i)
			m.Child &^= tail.edges
			m.chain = -1
			m.Taken += 1 + int16(tail.length)
		}
		best = max(best, g.option(p, m, t, use))
	}
	for class, price := range [3]int16{shortClass: infinity, longClass: 4, loopClass: 8} {
		if c := &s.shortest[class]; c.edges != 0 {
			best = max(best, g.option(p, Move{Child: s.mask &^ c.edges, Taken: int16(c.length), Price: price, chain: -1}, t, use))
		}
	}
	return best
}

// option adds a move to the list, or returns its bound if that is below t.
func (g *graph) option(p *ply, m Move, t int, use features) int {
	if m.Price != infinity && use&noLoonyBound == 0 {
		bound := int(m.Price)/2 - int(m.Taken)
		if bound -= (bound - t) & 1; bound < t { // t has the parity of all values
			return bound
		}
	}
	m.place = int16(p.n)
	if g.late {
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

// behind finds the third chain of a joint that chain i ties to itself.
func (s *shape) behind(i int) *chain {
	j := s.chains[i].a
	for k := range s.count {
		if c := &s.chains[k]; k != i && (c.a == j || c.b == j) {
			return c
		}
	}
	panic("exact: a joint of three lines has two chains only")
}
