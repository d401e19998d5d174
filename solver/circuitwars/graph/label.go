package graph

import "endwise/solver/tt"

// Labeler finds canonical codes. It holds the scratch memory for one
// component; the zero value is ready, one goroutine at a time may use it.
type Labeler struct {
	n      int
	nb     [MaxSquares][4]uint8 // borders in the numbering that came in
	colour [256]uint64          // by square; Ground and None have colours too
	next   [MaxSquares]uint64
	order  [MaxSquares]uint64 // colour's upper bits and the square, sorted
	rank   [256]uint8         // square → canonical number
	from   [MaxSquares]uint8  // square here → square of the code that came in
	out    [MaxSquares]uint32
	fill   flood
	tied   bool
}

// squareBits are the low bits of an order word that hold the square.
const squareBits = 7

// Label returns the canonical code of a component given in any order. The
// result is valid until the next call.
func (l *Labeler) Label(c Code) Code {
	l.load(c)
	return l.label()
}

func (l *Labeler) load(c Code) {
	l.n = len(c)
	for v, w := range c {
		l.nb[v] = [4]uint8{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24)}
		l.from[v] = uint8(v)
	}
}

// Tied reports whether the last component had squares of one colour when the
// rounds stopped splitting. Without ties a component has no automorphism but
// the identity.
func (l *Labeler) Tied() bool { return l.tied }

// Source is the number that square v of the last result had in the code that
// was given to Label or to Kids.
func (l *Labeler) Source(v int) int { return int(l.from[l.order[v]&(1<<squareBits-1)]) }

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

// refine takes in the colours across the borders, a number of rounds.
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

// sort orders the squares by colour and counts the classes.
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

// individualize gives one square of the first class with several a colour of
// its own.
func (l *Labeler) individualize() {
	for i := 1; i < l.n; i++ {
		if (l.order[i]^l.order[i-1])>>squareBits == 0 {
			v := l.order[i-1] & (1<<squareBits - 1)
			l.colour[v] = tt.Mix(l.colour[v] + 0x632be59bd9b4e019)
			return
		}
	}
}

// sortedWord packs four borders in ascending order.
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

// flood is the set of squares reached from one square.
type flood struct {
	in     [MaxSquares]bool
	queue  [MaxSquares]uint8
	size   int
	ground bool // a free segment to the ground was seen
}

// from floods the code from square v without the edge between a and b; b may
// be Ground, which leaves out one free segment to the ground at a.
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

// Kids deletes the edge between squares a and b of a code, or one of a's free
// segments to the ground if b is Ground, and calls each with the canonical
// code of every component that is left, at most two. It returns the number of
// squares that were cut off from the ground. The codes are valid only during
// the call, and each must not use the labeler but for Source and Tied.
func (l *Labeler) Kids(c Code, a, b uint8, each func(Code)) (gain int) {
	return l.Parts(c, a, b, func([]uint8) { each(l.LabelPart(c, a, b)) })
}

// Parts is Kids for callers that may know a component without labelling it:
// each gets the squares of the component, and LabelPart its canonical code.
func (l *Labeler) Parts(c Code, a, b uint8, each func(squares []uint8)) (gain int) {
	for _, v := range [2]uint8{a, b} {
		if v == b && (b == Ground || l.fill.in[b]) {
			break // there is one side only
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

// Without is Kids for an edge that leaves all squares on the ground in one
// component, which the caller knows from Cutter: the canonical code of the
// component without the edge. It is valid until the next call.
func (l *Labeler) Without(c Code, a, b uint8) Code {
	l.load(c)
	cutBorder(&l.nb[a], b)
	if b != Ground {
		cutBorder(&l.nb[b], a)
	}
	return l.label()
}

// cutBorder takes one border to a neighbour.
func cutBorder(borders *[4]uint8, to uint8) {
	for i := range borders {
		if borders[i] == to {
			borders[i] = None
			return
		}
	}
}

// LabelPart is the canonical code of the component that Parts is at, for the
// same arguments; it is valid until the next call.
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
