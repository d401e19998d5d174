package graph

import "endwise/solver/tt"

// Labeler computes canonical codes. The zero value is ready. It is not safe for concurrent use.
type Labeler struct {
	n       int
	borders [MaxSquares][4]uint8 // of the component to be labelled
	colour  [256]uint64          // of squares, Ground and None
	next    [MaxSquares]uint64
	order   [MaxSquares]uint64 // upper bits of the colour, and the square; sorted
	rank    [256]uint8         // by square: canonical number
	from    [MaxSquares]uint8  // by square of borders: square of the code passed in
	out     [MaxSquares]uint32
	fill    flood
	tied    bool
}

const (
	squareBits = 7 // low bits of an order word, the square
	squareMask = 1<<squareBits - 1
)

// Label returns the canonical code of a component, valid until the labeler is used again.
func (l *Labeler) Label(c Code) Code {
	l.load(c)
	return l.label()
}

func (l *Labeler) load(c Code) {
	l.n = len(c)
	for v, w := range c {
		l.borders[v] = bordersOf(w)
		l.from[v] = uint8(v)
	}
}

func bordersOf(w uint32) [4]uint8 {
	return [4]uint8{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24)}
}

// Tied reports whether the last labelling needed step 2 of the package comment. If not, the
// component has no automorphism except the identity.
func (l *Labeler) Tied() bool { return l.tied }

// Source returns the number that square v of the last canonical code has in the code passed in.
func (l *Labeler) Source(v int) int { return int(l.from[l.order[v]&squareMask]) }

// label returns the canonical code of the component of l.n squares in l.borders.
func (l *Labeler) label() Code {
	n := l.n
	for v := range n {
		l.colour[v] = 1
	}
	l.colour[Ground] = 0x5851f42d4c957f2d
	l.colour[None] = 0x14057b7ef767814f
	l.tied = false
	l.refine(4)
	colours := l.sort()
	for colours < n {
		before := colours
		l.refine(2)
		if colours = l.sort(); colours != before {
			continue
		}
		l.tied = true
		l.individualize()
		l.refine(3)
		colours = l.sort()
	}
	for i := range n {
		l.rank[l.order[i]&squareMask] = uint8(i)
	}
	l.rank[Ground], l.rank[None] = Ground, None
	for i := range n {
		b := &l.borders[l.order[i]&squareMask]
		l.out[i] = sortedWord(l.rank[b[0]], l.rank[b[1]], l.rank[b[2]], l.rank[b[3]])
	}
	return l.out[:n]
}

// refine performs rounds of step 1 of the package comment.
func (l *Labeler) refine(rounds int) {
	n := l.n
	for range rounds {
		for v := range n {
			b := &l.borders[v]
			x := l.colour[v]*0x9e3779b97f4a7c15 + (l.colour[b[0]] + l.colour[b[1]] + l.colour[b[2]] + l.colour[b[3]])
			x ^= x >> 32
			x *= 0xd6e8feb86659fd93
			l.next[v] = x ^ x>>29
		}
		copy(l.colour[:n], l.next[:n])
	}
}

// sort sets l.order and returns the number of different colours.
func (l *Labeler) sort() (colours int) {
	n := l.n
	order := l.order[:n]
	for v := range order {
		k := l.colour[v]&^squareMask | uint64(v)
		i := v
		for ; i > 0 && order[i-1] > k; i-- {
			order[i] = order[i-1]
		}
		order[i] = k
	}
	colours = 1
	for i := 1; i < n; i++ {
		if (order[i]^order[i-1])>>squareBits != 0 {
			colours++
		}
	}
	return colours
}

// individualize gives one of the squares with the least shared colour its own colour.
func (l *Labeler) individualize() {
	for i := 1; i < l.n; i++ {
		if (l.order[i]^l.order[i-1])>>squareBits == 0 {
			v := l.order[i-1] & squareMask
			l.colour[v] = tt.Mix(l.colour[v] + 0x632be59bd9b4e019)
			return
		}
	}
}

// sortedWord returns the word of a code for a square with four borders.
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

type flood struct {
	in     [MaxSquares]bool
	queue  [MaxSquares]uint8 // the squares found, the first size
	size   int
	ground bool // whether one of them has an edge to the ground
}

// from finds the squares connected to square v of a code, v included, after the edge between a and b
// is deleted. b is Ground if one edge from a to the ground is deleted.
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
			deleted := u == a && t == b || u == b && t == a
			if deleted && !skipped {
				skipped = true // only one of parallel edges
				continue
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

// Kids deletes the edge between squares a and b of component c or, if b is [Ground], one edge from
// a to the ground. It calls f with the canonical code of every component left, and returns the
// number of squares captured. The codes are valid only during the call of f, which must not call
// methods of the labeler except Source and Tied.
func (l *Labeler) Kids(c Code, a, b uint8, f func(Code)) (gain int) {
	return l.Parts(c, a, b, func([]uint8) { f(l.LabelPart(c, a, b)) })
}

// Parts is Kids without labelling: it calls f with the squares of every component left, by their
// numbers in c. They are valid only during the call. f can call LabelPart.
func (l *Labeler) Parts(c Code, a, b uint8, f func(squares []uint8)) (gain int) {
	for _, v := range [2]uint8{a, b} {
		if v == b && (b == Ground || l.fill.in[b]) {
			break // both are in the same component
		}
		l.fill.from(c, int(v), a, b)
		if l.fill.ground {
			f(l.fill.queue[:l.fill.size])
		} else {
			gain += l.fill.size
		}
	}
	return gain
}

// Without returns the canonical code of a component after the edge between a and b is deleted, as in
// Kids. All squares must remain connected. The code is valid until the next use.
func (l *Labeler) Without(c Code, a, b uint8) Code {
	l.load(c)
	cutBorder(&l.borders[a], b)
	if b != Ground {
		cutBorder(&l.borders[b], a)
	}
	return l.label()
}

// cutBorder removes one of the borders that lead to to, which may be Ground.
func cutBorder(borders *[4]uint8, to uint8) {
	for i := range borders {
		if borders[i] == to {
			borders[i] = None
			return
		}
	}
}

// LabelPart returns the canonical code of the component whose squares Parts has just passed to its
// callback, with the arguments of Parts. The code is valid until the labeler is used again.
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
		t := bordersOf(c[v])
		if v == a || v == b {
			cutBorder(&t, a^b^v) // the other end
		}
		l.borders[i] = [4]uint8{number[t[0]], number[t[1]], number[t[2]], number[t[3]]}
	}
	l.n = n
	return l.label()
}
