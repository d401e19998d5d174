package exact

import "math/bits"

const maxChains = MaxEdges

// chain is a path of boxes with two free lines each: one edge of the contracted graph. Its ends are
// joints (boxes with three or four free lines) or the ground. A chain without boxes is a single
// line. An isolated loop is a chain from one of its boxes to itself.
type chain struct {
	edges  uint64
	length uint8 // number of boxes with two free lines
	a, b   uint8 // ends: box numbers or ground; a is the ground only if b is too
}

// shape is the decomposition of an R-type position: contracted graph, isolated chains and loops.
type shape struct {
	mask   uint64 // the edges left after T5
	boxes  int
	joints int
	joint  [ground]uint8     // joint number → box
	degree [ground + 1]uint8 // box → free lines; after removePair or derive valid for joints only
	chains [maxChains]chain  // chains with a joint at an end, ordered by first edge
	count  int
	extra  int // with noDominance: number of isolated components in chains[count:]

	// Isolated chains and loops.
	lone     [3]int   // by length: number of chains of 1 and 2 boxes; at most one of each after T5
	short    [3]chain // by length: the last of these chains
	long     int      // number of chains of 3 and more boxes
	threes   int      // number of chains of 3 boxes
	loops    int
	shortest [3]chain  // by type, for T4; edges is 0 if there is none
	loneHash [2]uint64 // sums of the hashes; see Key
}

// Types of isolated components: chains of at most two boxes, longer chains, loops.
const (
	shortChain = iota
	longChain
	loop
)

// decompose sets s to the decomposition of an R-type position.
//
// T5: two isolated chains of one box cancel, and so do two of two boxes: V(R + C + C) = V(R). If a
// player gives away one of them, the other player takes its boxes and gives away the other, so both
// gain the same. Unless use prevents it, decompose removes such pairs from s.mask.
func (g *graph) decompose(mask uint64, s *shape, use features) {
	g.reset(mask, s)
	var isolated []chain
	if use&noDominance != 0 {
		isolated = make([]chain, 0, maxChains)
	}
	for left := mask; left != 0; {
		e := bits.TrailingZeros64(left)
		c := chain{edges: 1 << e, a: g.side[e][0], b: g.side[e][1]}
		if s.degree[c.a] == 2 || s.degree[c.b] == 2 {
			g.follow(mask, s, &c)
		}
		left &^= c.edges
		if c.a == ground {
			c.a, c.b = c.b, c.a
		}
		if s.degree[c.a] > 2 || s.degree[c.b] > 2 {
			s.chains[s.count] = c
			s.count++
			continue
		}
		s.addComponent(&c, use)
		if use&noDominance != 0 {
			isolated = append(isolated, c)
		}
	}
	if use&noDominance != 0 {
		s.extra = copy(s.chains[s.count:], isolated)
		s.shortest = [3]chain{}
	}
}

// reset sets s to the boxes and joints of a position, without chains and loops.
func (g *graph) reset(mask uint64, s *shape) {
	s.mask = mask
	s.joints, s.count, s.boxes, s.extra = 0, 0, 0, 0
	s.lone = [3]int{}
	s.long, s.threes, s.loops = 0, 0, 0
	s.shortest[shortChain].edges, s.shortest[longChain].edges, s.shortest[loop].edges = 0, 0, 0
	s.loneHash = [2]uint64{}
	for b := range g.boxes {
		d := uint8(bits.OnesCount64(mask & g.around[b]))
		s.degree[b] = d
		if d != 0 {
			s.boxes++
		}
		if d > 2 {
			s.joint[s.joints] = uint8(b)
			s.joints++
		}
	}
	s.degree[ground] = 0
}

// addComponent adds an isolated chain or loop, or removes the earlier chain that cancels it (T5).
func (s *shape) addComponent(c *chain, use features) {
	kind, hash := longChain, &hashChain
	switch {
	case c.a != ground: // a loop
		kind, hash = loop, &hashLoop
		s.loops++
	case c.length <= 2:
		kind = shortChain
		if s.lone[c.length] > 0 && use&(noPairs|noDominance) == 0 {
			s.removePair(c)
			return
		}
		s.lone[c.length]++
		s.short[c.length] = *c
	default:
		s.long++
		if c.length == 3 {
			s.threes++
		}
	}
	s.loneHash[0] += hash[0][c.length]
	s.loneHash[1] += hash[1][c.length]
	if o := &s.shortest[kind]; o.edges == 0 || c.length < o.length {
		*o = *c
	}
}

// removePair removes the lone chain that c cancels; c has not been added, except to mask and boxes.
func (s *shape) removePair(c *chain) {
	n := c.length
	s.mask &^= c.edges | s.short[n].edges
	s.boxes -= 2 * int(n)
	s.lone[n] = 0
	s.loneHash[0] -= hashChain[0][n]
	s.loneHash[1] -= hashChain[1][n]
	s.shortest[shortChain].edges = 0
	if s.lone[3-n] > 0 {
		s.shortest[shortChain] = s.short[3-n]
	}
}

// follow extends c, a single edge, by the boxes with two free lines at both ends.
func (g *graph) follow(mask uint64, s *shape, c *chain) {
	first := c.edges
	start := c.a
	for at, last := c.b, first; s.degree[at] == 2; {
		last = mask & g.around[at] &^ last
		c.length++
		c.edges |= last
		at = g.cross[bits.TrailingZeros64(last)] ^ at
		c.b = at
		if at == start && s.degree[at] == 2 { // a loop without a joint
			c.length++
			c.b = c.a
			return
		}
	}
	for at, last := c.a, first; s.degree[at] == 2; {
		last = mask & g.around[at] &^ last
		c.length++
		c.edges |= last
		at = g.cross[bits.TrailingZeros64(last)] ^ at
		c.a = at
	}
}

// derive sets s to p without chain i. It returns false, and leaves s undefined, if it cannot.
func (p *shape) derive(i int, s *shape) bool {
	c := p.chains[i]
	if c.a == c.b || p.extra != 0 {
		return false
	}
	s.mask, s.boxes = p.mask&^c.edges, p.boxes-int(c.length)
	s.extra, s.lone, s.long, s.threes, s.loops = 0, p.lone, p.long, p.threes, p.loops
	s.shortest, s.loneHash, s.degree = p.shortest, p.loneHash, p.degree
	copy(s.chains[:i], p.chains[:i])
	copy(s.chains[i:], p.chains[i+1:p.count])
	s.count = p.count - 1
	gone := [2]uint8{ground, ground} // joints that become part of a chain
	for k, x := range [2]uint8{c.a, c.b} {
		if x == ground {
			continue
		}
		if s.degree[x]--; s.degree[x] == 2 {
			if !s.merge(x) {
				return false
			}
			gone[k] = x
		}
	}
	s.joints = 0
	for _, x := range p.joint[:p.joints] {
		if x != gone[0] && x != gone[1] {
			s.joint[s.joints] = x
			s.joints++
		}
	}
	return true
}

// merge joins the two chains at box x, which has two free lines left. The result takes the place of
// the earlier chain, so chains stay ordered by first edge. merge returns false, and leaves s
// undefined, if the result is an isolated component.
func (s *shape) merge(x uint8) bool {
	first := -1
	for k := range s.count {
		c := &s.chains[k]
		if c.a != x && c.b != x {
			continue
		}
		if first < 0 {
			first = k
			continue
		}
		f := &s.chains[first]
		a, b := f.a^f.b^x, c.a^c.b^x
		if a == ground {
			a, b = b, a
		}
		if a == ground {
			return false // a chain from the ground to the ground
		}
		*f = chain{f.edges | c.edges, f.length + c.length + 1, a, b}
		copy(s.chains[k:], s.chains[k+1:s.count])
		s.count--
		return true
	}
	return false // a loop
}
