package retrograde

import (
	"math/bits"

	wyb "endwise/engine/watchyourback"
	"endwise/solver/watchyourback/tables"
)

// Values of nextTo and beyond that are not playable squares.
const (
	outside = -1 // not on the 6x6 board
	aCorner = -2 // a corner of the 6x6 board, which captures pieces of both sides
)

var (
	// square8[s] is the number of square s on the 8x8 board.
	square8 = func() (t [tables.Squares]int) {
		i := 0
		for w := wyb.Playable(wyb.Middle); w != 0; w &= w - 1 {
			t[i] = bits.TrailingZeros64(w)
			i++
		}
		return t
	}()
	// innerSquares are the squares that remain after the second shrink.
	innerSquares = tables.Squeeze(wyb.Playable(wyb.Final) | wyb.Corners(wyb.Final))
	// nextTo[s][d] and beyond[s][d] are the squares one and two steps from s in direction d (up,
	// right, down, left), or outside or aCorner.
	nextTo, beyond = func() (next, second [tables.Squares][4]int8) {
		number := map[int]int8{}
		for i, s := range square8 {
			number[s] = int8(i)
		}
		at := func(x, y int) int8 {
			if x < 1 || x > 6 || y < 1 || y > 6 {
				return outside
			}
			if i, ok := number[8*y+x]; ok {
				return i
			}
			return aCorner
		}
		step := [4][2]int{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}
		for i, s := range square8 {
			x, y := s%8, s/8
			for d, v := range step {
				next[i][d] = at(x+v[0], y+v[1])
				second[i][d] = at(x+2*v[0], y+2*v[1])
			}
		}
		return next, second
	}()
	around = func() (t [tables.Squares]struct {
		near, far [4]uint32 // nextTo and beyond as sets of one square, empty if not playable
		cornered  uint32    // neighbours between the square and a corner
		axes      uint8     // the axes on which both neighbours are on the board; see noPinch
	}) {
		for s := range t {
			a := &t[s]
			a.axes = 3
			for d := range 4 {
				n, far := nextTo[s][d], beyond[s][d]
				if n == outside {
					a.axes &^= 1 << (d & 1)
				}
				if n < 0 {
					continue
				}
				a.near[d] = 1 << n
				switch {
				case far == aCorner:
					a.cornered |= 1 << n
				case far >= 0:
					a.far[d] = 1 << far
				}
			}
		}
		return t
	}()
)

// bitset is a set of ranks or of indexes of words.
type bitset []uint64

func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

// add adds the elements of c, which is at least as long as b.
func (b bitset) add(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

func (b bitset) fill() {
	for i := range b {
		b[i] = ^uint64(0)
	}
}

func (b bitset) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// next returns the smallest number >= i that is in the set (in) or not in it (!in), or 64*len(b).
func (b bitset) next(i int, in bool) int {
	for ; i < 64*len(b); i = i&^63 + 64 {
		w := b[i>>6]
		if !in {
			w = ^w
		}
		if w >>= i & 63; w != 0 {
			return i + bits.TrailingZeros64(w)
		}
	}
	return 64 * len(b)
}

// In a set of axes, bit 0 is the vertical and bit 1 the horizontal axis; noPinch is empty.
const noPinch = 0

// family contains all sets of one size in the order of their ranks, and bitsets of them.
type family struct {
	sets      []uint32
	words     int // length of a bitset of the family
	all, none bitset
	holding   [tables.Squares]bitset // the sets that contain a square
	// pinching[s][axes] are the sets that contain both neighbours of square s on one of the axes. A
	// corner of the board counts as contained.
	pinching [tables.Squares][4]bitset
	// grown[c][w]: adding square c to the sets in word w of the family of sets with one square less
	// leads to sets in the words first..last. Adding a square preserves the order of sets.
	grown [tables.Squares][]struct{ first, last uint16 }
	// sets[i]&innerSquares is inner[innerOf[i]]. inner contains each set once.
	inner   []uint32
	innerOf []uint16
}

func newFamily(k int) *family {
	f := &family{sets: tables.SetsOf(k)}
	f.words = (len(f.sets) + 63) / 64
	row := func() bitset { return make(bitset, f.words) }
	f.all, f.none = row(), row()
	for s := range f.holding {
		f.holding[s] = row()
	}
	number := map[uint32]uint16{}
	for i, m := range f.sets {
		f.all[i>>6] |= 1 << (i & 63)
		n, ok := number[m&innerSquares]
		if !ok {
			n = uint16(len(f.inner))
			number[m&innerSquares] = n
			f.inner = append(f.inner, m&innerSquares)
		}
		f.innerOf = append(f.innerOf, n)
		for w := m; w != 0; w &= w - 1 {
			c := bits.TrailingZeros32(w)
			f.holding[c][i>>6] |= 1 << (i & 63)
			less := int(tables.Rank(m&^(1<<c)) >> 6)
			for len(f.grown[c]) <= less {
				f.grown[c] = append(f.grown[c], struct{ first, last uint16 }{uint16(i >> 6), 0})
			}
			f.grown[c][less].last = uint16(i >> 6)
		}
	}
	f.setPinching()
	return f
}

// setPinching computes pinching from holding.
func (f *family) setPinching() {
	containing := func(n int8) bitset {
		switch n {
		case outside:
			return f.none
		case aCorner:
			return f.all
		}
		return f.holding[n]
	}
	for s := range f.pinching {
		f.pinching[s] = [4]bitset{f.none, make(bitset, f.words), make(bitset, f.words), make(bitset, f.words)}
		for axis := range 2 {
			a, b := containing(nextTo[s][axis]), containing(nextTo[s][axis+2])
			for w := range f.words {
				f.pinching[s][1<<axis][w] = a[w] & b[w]
			}
		}
		f.pinching[s][3].add(f.pinching[s][1])
		f.pinching[s][3].add(f.pinching[s][2])
	}
}
