package search

import (
	"math/bits"

	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/tt"
)

type segments [2]uint64

func (s segments) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

func (s *segments) remove(i int) { s[i>>6] &^= 1 << (i & 63) }

func (s segments) empty() bool { return s[0]|s[1] == 0 }

type geometry struct {
	cols     int
	segments int
	sides    [][2]int8 // by segment: the squares next to it, the second -1 for the outside
	// By segment: its bit in the field of state with the same name, 0 if none.
	right, down, ground []uint64
	around              []segments // by square: its segments
	corners             uint64     // squares with several border segments
	zobrist             []uint64   // see state.hash
	images              [][]int    // for each self-inverse symmetry but the identity: the segments' images
}

// state is a position; geometry.start and play keep its fields consistent.
type state struct {
	free segments
	// Bit s of right or down is set if the segment between square s and its right or lower
	// neighbour is free, bit s of ground if a border segment of s is free.
	right, down, ground uint64
	hash                uint64 // xor of the zobrist words of the free segments
}

func newGeometry(b *grid.Board) *geometry {
	n := b.Segments()
	g := &geometry{
		cols: b.Cols, segments: n,
		sides: make([][2]int8, n),
		right: make([]uint64, n), down: make([]uint64, n), ground: make([]uint64, n),
		around: make([]segments, b.Squares()), zobrist: make([]uint64, n),
	}
	border := uint64(0)
	for s := range n {
		sides := b.Sides(s)
		g.sides[s] = [2]int8{int8(sides[0]), int8(sides[1])}
		_, _, horizontal := b.Line(s)
		switch {
		case sides[1] == grid.Outside:
			g.ground[s] = 1 << sides[0]
			g.corners |= border & g.ground[s]
			border |= g.ground[s]
		case horizontal:
			g.down[s] = 1 << sides[0]
		default:
			g.right[s] = 1 << sides[0]
		}
		for _, sq := range sides {
			if sq != grid.Outside {
				g.around[sq][s>>6] |= 1 << (s & 63)
			}
		}
		g.zobrist[s] = tt.Mix(uint64(s+2) * 0x9e3779b97f4a7c15)
	}
	for _, y := range b.Symmetries()[1:] {
		inverse := true
		for s, to := range y.Segment {
			inverse = inverse && y.Segment[to] == s
		}
		if inverse {
			g.images = append(g.images, y.Segment)
		}
	}
	return g
}

// asymmetry returns the number of free segments that are their own image or whose image is not
// free, for the symmetry of g.images for which it is least.
func (g *geometry) asymmetry(st *state) int {
	least := g.segments
	for _, image := range g.images {
		n := 0
		for k, w := range st.free {
			for ; w != 0; w &= w - 1 {
				s := k<<6 + bits.TrailingZeros64(w)
				if to := image[s]; to == s || !st.free.has(to) {
					n++
				}
			}
		}
		least = min(least, n)
	}
	return least
}

func (g *geometry) start(p circuitwars.Position) state {
	var st state
	for _, s := range p.Free().Segments() {
		st.free[s>>6] |= 1 << (s & 63)
		st.hash ^= g.zobrist[s]
		st.right |= g.right[s]
		st.down |= g.down[s]
	}
	st.ground = g.grounds(st.free)
	return st
}

func (g *geometry) grounds(free segments) uint64 {
	var out uint64
	for k, w := range free {
		for ; w != 0; w &= w - 1 {
			out |= g.ground[k<<6+bits.TrailingZeros64(w)]
		}
	}
	return out
}

// flood returns the squares x and all squares connected to them by free segments.
func (g *geometry) flood(st *state, x uint64) uint64 {
	c := g.cols
	for {
		y := x | (x&st.right)<<1 | x>>1&st.right | (x&st.down)<<c | x>>c&st.down
		if y == x {
			return x
		}
		x = y
	}
}

// play draws free segment s in st and returns the number of squares captured.
func (g *geometry) play(st *state, s int) int {
	st.free.remove(s)
	st.hash ^= g.zobrist[s]
	a := int(g.sides[s][0])
	if b := int(g.sides[s][1]); b >= 0 {
		st.right &^= g.right[s]
		st.down &^= g.down[s]
		if n := g.capture(st, a); n > 0 {
			return n // never on both sides
		}
		return g.capture(st, b)
	}
	// A corner square has another border segment.
	st.ground &^= g.ground[s]
	for k, w := range g.around[a] {
		for w &= st.free[k]; w != 0; w &= w - 1 {
			st.ground |= g.ground[k<<6+bits.TrailingZeros64(w)]
		}
	}
	return g.capture(st, a)
}

// capture removes and counts the squares connected to square sq unless the ground is too.
func (g *geometry) capture(st *state, sq int) int {
	area := g.flood(st, 1<<sq)
	if area&st.ground != 0 {
		return 0
	}
	for x := area; x != 0; x &= x - 1 {
		for k, w := range g.around[bits.TrailingZeros64(x)] {
			for w &= st.free[k]; w != 0; w &= w - 1 {
				i := k<<6 + bits.TrailingZeros64(w)
				st.free.remove(i)
				st.hash ^= g.zobrist[i]
			}
		}
	}
	st.right &^= area
	st.down &^= area
	return bits.OnesCount64(area)
}
