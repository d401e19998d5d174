package graph

import "endwise/solver/tt"

// Labeler computes canonical codes. It contains scratch memory. The zero value is ready for
// use; it is not safe for concurrent use.
type Labeler struct {
	n      int
	nb     [MaxSquares][4]uint8 // borders in the numbering of the input
	colour [256]uint64          // of squares, Ground and None
	next   [MaxSquares]uint64
	order  [MaxSquares]uint64 // upper bits of the colour, and the square; sorted
	rank   [256]uint8         // square → canonical number
	from   [MaxSquares]uint8  // square of nb → square of the code passed in
	out    [MaxSquares]uint32
	fill   flood
	tied   bool
}

// squareBits is the number of low bits of an order word that contain the square.
const squareBits = 7

// Label returns the canonical code of a component. The result is valid until the next call.
func (l *Labeler) Label(c Code) Code {
	l.load(c)
	return l.label()
}

// load prepares the labelling of a code.
func (l *Labeler) load(c Code) {
	l.n = len(c)
	for v, w := range c {
		l.nb[v] = [4]uint8{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24)}
		l.from[v] = uint8(v)
	}
}

// Tied reports whether squares of the last component shared a colour when rounds split no
// further class. Otherwise the component has no automorphism except the identity.
func (l *Labeler) Tied() bool { return l.tied }

// Source returns the number of square v of the last result in the code passed to Label or
// Kids.
func (l *Labeler) Source(v int) int { return int(l.from[l.order[v]&(1<<squareBits-1)]) }

// label returns the canonical code of the loaded one.
func (l *Labeler) label() Code {
	n := l.n
	for v := range n {
		l.colour[v] = 1
	}
	l.colour[Ground] = 0x5851f42d4c957f2d
	l.colour[None] = 0x14057b7ef767814f
	l.tied = false
	l.refine(4)
	classes := l.sort()
	for classes < n {
		before := classes
		l.refine(2)
		if classes = l.sort(); classes != before {
			continue
		}
		l.tied = true
		l.individualize()
		l.refine(3)
		classes = l.sort()
	}
	for i := range n {
		l.rank[l.order[i]&(1<<squareBits-1)] = uint8(i)
	}
	l.rank[Ground], l.rank[None] = Ground, None
	for i := range n {
		b := &l.nb[l.order[i]&(1<<squareBits-1)]
		l.out[i] = sortedWord(l.rank[b[0]], l.rank[b[1]], l.rank[b[2]], l.rank[b[3]])
	}
	return l.out[:n]
}

// refine computes new colours for a number of rounds.
func (l *Labeler) refine(rounds int) {
	n := l.n
	for range rounds {
		for v := range n {
			b := &l.nb[v]
			x := l.colour[v]*0x9e3779b97f4a7c15 + (l.colour[b[0]] + l.colour[b[1]] + l.colour[b[2]] + l.colour[b[3]])
			x ^= x >> 32
			x *= 0xd6e8feb86659fd93
			l.next[v] = x ^ x>>29
		}
		copy(l.colour[:n], l.next[:n])
	}
}

// sort orders the squares by colour and returns the number of colours.
func (l *Labeler) sort() (classes int) {
	n := l.n
	order := l.order[:n]
	for v := range order {
		k := l.colour[v]&^(1<<squareBits-1) | uint64(v)
		i := v
		for ; i > 0 && order[i-1] > k; i-- {
			order[i] = order[i-1]
		}
		order[i] = k
	}
	classes = 1
	for i := 1; i < n; i++ {
		if (order[i]^order[i-1])>>squareBits != 0 {
			classes++
		}
	}
	return classes
}

// individualize gives one square of the first class with several squares its own colour.
func (l *Labeler) individualize() {
	for i := 1; i < l.n; i++ {
		if (l.order[i]^l.order[i-1])>>squareBits == 0 {
			v := l.order[i-1] & (1<<squareBits - 1)
			l.colour[v] = tt.Mix(l.colour[v] + 0x632be59bd9b4e019)
			return
		}
	}
}

// sortedWord returns four borders as a word, in ascending order.
func sortedWord(a, b, c, d uint8) uint32 {
	if a > b {
		a, b = b, a
	}
	if c > d {
		c, d = d, c
	}
	if a > c {
		a, c = c, a
	}
	if b > d {
		b, d = d, b
	}
	if b > c {
		b, c = c, b
	}
	return uint32(a) | uint32(b)<<8 | uint32(c)<<16 | uint32(d)<<24
}

// flood is the set of squares connected to a square.
type flood struct {
	in     [MaxSquares]bool
	queue  [MaxSquares]uint8
	size   int
	ground bool // one of them has an edge to the ground
}

// from computes the squares connected to v without the edge between a and b. If b is
// Ground, one edge from a to the ground is omitted.
func (f *flood) from(c Code, v int, a, b uint8) {
	clear(f.in[:len(c)])
	f.in[v] = true
	f.queue[0] = uint8(v)
	f.size, f.ground = 1, false
	for head := 0; head < f.size; head++ {
		u := f.queue[head]
		skipped := false
		for w, i := c[u], 0; i < 4; i++ {
			t := uint8(w >> (8 * i))
			if u == a && t == b || u == b && t == a {
				if t != Ground || !skipped {
					skipped = true
					continue
				}
			}
			switch {
			case t == Ground:
				f.ground = true
			case t != None && !f.in[t]:
				f.in[t] = true
				f.queue[f.size] = t
				f.size++
			}
		}
	}
}

// Kids deletes the edge between squares a and b of a code, or one edge from a to the ground
// if b is [Ground]. It calls each with the canonical code of every component left, at most
// two, and returns the number of squares captured. The codes are valid only during the
// call; each must not call the labeler, except Source and Tied.
func (l *Labeler) Kids(c Code, a, b uint8, each func(Code)) (gain int) {
	return l.Parts(c, a, b, func([]uint8) { each(l.LabelPart(c, a, b)) })
}

// Parts is Kids without labelling: each is called with the squares of a component and can
// call LabelPart.
func (l *Labeler) Parts(c Code, a, b uint8, each func(squares []uint8)) (gain int) {
	for _, v := range [2]uint8{a, b} {
		if v == b && (b == Ground || l.fill.in[b]) {
			break // both squares are in the same component
		}
		l.fill.from(c, int(v), a, b)
		if l.fill.ground {
			each(l.fill.queue[:l.fill.size])
		} else {
			gain += l.fill.size
		}
	}
	return gain
}

// Without returns the canonical code of a component without an edge, if all squares remain
// in one component. The code is valid until the next call.
func (l *Labeler) Without(c Code, a, b uint8) Code {
	l.load(c)
	cutBorder(&l.nb[a], b)
	if b != Ground {
		cutBorder(&l.nb[b], a)
	}
	return l.label()
}

// cutBorder removes one border to the given neighbour.
func cutBorder(borders *[4]uint8, to uint8) {
	for i := range borders {
		if borders[i] == to {
			borders[i] = None
			return
		}
	}
}

// LabelPart returns the canonical code of the current component of Parts, which must have
// the same arguments. The code is valid until the next call.
func (l *Labeler) LabelPart(c Code, a, b uint8) Code {
	n := l.fill.size
	var number [256]uint8
	number[Ground], number[None] = Ground, None
	for i := range n {
		v := l.fill.queue[i]
		number[v] = uint8(i)
		l.from[i] = v
	}
	for i := range n {
		v := l.fill.queue[i]
		w := c[v]
		t := [4]uint8{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24)}
		if v == a || v == b {
			cutBorder(&t, a^b^v)
		}
		l.nb[i] = [4]uint8{number[t[0]], number[t[1]], number[t[2]], number[t[3]]}
	}
	l.n = n
	return l.label()
}
