package coins

import ("os"; "strconv"; "math/bits")

var DYN, _ = strconv.Atoi(os.Getenv("DYN"))
var SAC, _ = strconv.Atoi(os.Getenv("SAC"))

// options lists the moves of p.shape in search order in p.moves[:p.n], those
// left out that cannot reach t, and returns a bound: the most that a move left
// out could give, or, if it is t or more, what one of them does give.
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
func (w *worker) options(p *ply, t int) int {
	s := &p.shape
	best := -never
	p.n = 0
	// Lines between joints first: they give nothing away.
	for i := range s.count {
		if c := &s.chains[i]; c.length == 0 {
			p.moves[p.n] = move{child: s.mask &^ c.edges, price: never, edges: c.edges}
			p.n++
		}
	}
	if DYN > 0 {
		for i := 0; i < p.n; i++ {
			m := p.moves[i]
			m.lo = 0
			e := bits.TrailingZeros64(m.edges)
			a, b := s.degree[w.g.side[e][0]], s.degree[w.g.side[e][1]]
			switch DYN {
			case 1: m.lo = int8(a+b)
			case 2: m.lo = -int8(a+b)
			case 3: m.lo = int8(min(a,b))
			case 4: m.lo = -int8(min(a,b))
			case 5: m.lo = int8(max(a,b))
			case 6: m.lo = -int8(max(a,b))
			case 7: if b == 0 { b = 5 }; m.lo = -int8(a+b)
			case 8: if b == 0 { b = 5 }; m.lo = int8(a+b)
			case 9: if a==3 && b==3 { m.lo = 1 }
			case 10: if a==3 && b==3 { m.lo = -1 }
			case 11: if a==4 && b==4 { m.lo = -1 }
			case 12: if a==4 && b==4 { m.lo = 1 }
			}
			j := i
			for ; j > 0 && p.moves[j-1].lo > m.lo; j-- { p.moves[j] = p.moves[j-1] }
			p.moves[j] = m
		}
	}
	quiet := p.n
	if SAC == 1 { quiet = 0 }
	for i := range s.count + s.extra {
		c := &s.chains[i]
		if c.length == 0 {
			continue
		}
		m := move{child: s.mask &^ c.edges, taken: int16(c.length), price: 4, edges: c.middle}
		switch {
		case c.length <= 2:
			m.price = never
		case c.a != c.b || c.a == ground || s.degree[c.a] == 4:
		case s.degree[c.a] == 2:
			m.price = 8
		default:
			tail := s.behind(i)
			m.child &^= tail.edges
			m.taken += 1 + int16(tail.length)
		}
		best = max(best, w.sacrifice(p, quiet, m, t))
	}
	for class := range s.shortest {
		c := &s.shortest[class]
		if c.edges == 0 {
			continue
		}
		price := [3]int16{shortClass: never, longClass: 4, loopClass: 8}[class]
		best = max(best, w.sacrifice(p, quiet, move{child: s.mask &^ c.edges, taken: int16(c.length), price: price, edges: c.middle}, t))
	}
	return best
}

// sacrifice puts a move that gives boxes away in its place among the others,
// fewest boxes first, or returns its bound if that is below t.
func (w *worker) sacrifice(p *ply, quiet int, m move, t int) int {
	if m.price != never && w.use&noLoonyBound == 0 {
		bound := int(m.price)/2 - int(m.taken)
		if bound -= (bound - t) & 1; bound < t { // t has the parity of all values
			return bound
		}
	}
	i := p.n
	if SAC == 2 && m.taken == 1 {quiet = 0}
	if SAC == 3 && m.taken <= 2 {quiet = 0}
	for ; i > quiet && (p.moves[i-1].taken > m.taken || (SAC>0 && p.moves[i-1].taken == 0 && m.taken>0 && quiet == 0)); i-- {
		p.moves[i] = p.moves[i-1]
	}
	p.moves[i] = m
	p.n++
	return -never
}

// behind finds the third chain of a joint that chain i ties to itself.
func (s *shape) behind(i int) *chain {
	j := s.chains[i].a
	for k := range s.count {
		if c := &s.chains[k]; k != i && (c.a == j || c.b == j) {
			return c
		}
	}
	panic("coins: a joint of three lines has two chains only")
}
