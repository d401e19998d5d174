// Package tables works out every late position of Circuit Wars, without any
// pruning: every position of a small board (board.go), and every ending with
// few free segments on whatever board (endings.go). Nothing here searches;
// each value follows from the values of the positions one move later, which
// lie in earlier layers. So the tables are an independent check of the
// alpha-beta solver.
//
// # Boards
//
// A position of a board is the set m of its free segments, a bit each. What
// was scored before does not matter, nor does who closed an area. Write
//
//	A(m)  for the number of squares that are connected to the outside,
//	n(m)  for m without the segments that no such square touches (they lie
//	      inside closed areas and are gone): the normal form,
//	S(m)  for the squares that the mover gets from here with best play.
//
// The opponent gets A(m)-S(m), and the value of the position is
// V(m) = 2*S(m) - A(m). For a normal m that is not empty
//
//	S(m) = A(m) - min over e in m of S(m-e).
//
// Proof. The mover takes e, scores the A(m)-A(m-e) squares that e cuts off, and
// of the A(m-e) left gets what the opponent, now the mover, leaves:
// A(m-e)-S(m-e). The sum is A(m)-S(m-e), largest where S(m-e) is smallest. QED
//
// S is defined for every mask, not only for normal ones, by S(m) = S(n(m)). The
// formula may then look m-e up as it is, without normalising it, because a
// position has the value of its normal form. And n(m-e) does not depend on
// segments of m inside closed areas: which squares are connected to the outside in m-e is
// found by walking from the ground, and that walk never meets them. So masks in
// ascending order need only values that are there already: n(m) and m-e are
// smaller numbers than m.
package tables

import (
	"context"
	"fmt"
	"math/bits"

	"endwise/engine/grid"
)

// MaxBoardSegments bounds the boards that can be worked out completely: the
// values take half a byte a mask, 2 GiB for 32 segments (2x6).
const MaxBoardSegments = 32

// Board is the geometry of one board in masks: segment i is bit i, square i is
// bit i of a set of squares. It is immutable.
type Board struct {
	board    *grid.Board
	segments int
	sides    [][2]int8  // squares beside a segment, -1 for the ground
	around   [][4]uint8 // segments of a square
	touch    []uint32   // set of squares → segments that touch it
	images   []images   // symmetries but the identity
}

// images is what a symmetry does to a mask, byte by byte.
type images [][256]uint32

func (y images) of(m uint32) uint32 {
	var x uint32
	for i := range y {
		x |= y[i][m>>(8*i)&255]
	}
	return x
}

// NewBoard prepares a board of at most MaxBoardSegments segments.
func NewBoard(b *grid.Board) (*Board, error) {
	n := b.Segments()
	if n > MaxBoardSegments {
		return nil, fmt.Errorf("board %s: has %d segments, a complete table is possible up to %d", b, n, MaxBoardSegments)
	}
	t := &Board{board: b, segments: n}
	for s := range n {
		o := b.Sides(s)
		t.sides = append(t.sides, [2]int8{int8(o[0]), int8(o[1])}) // grid.Outside is -1
	}
	for sq := range b.Squares() {
		var a [4]uint8
		for i, s := range b.Around(sq) {
			a[i] = uint8(s)
		}
		t.around = append(t.around, a)
	}
	t.touch = make([]uint32, 1<<b.Squares())
	for set := 1; set < len(t.touch); set++ {
		t.touch[set] = t.touch[set&(set-1)]
		for _, s := range t.around[bits.TrailingZeros(uint(set))] {
			t.touch[set] |= 1 << s
		}
	}
	for _, y := range b.Symmetries()[1:] {
		bytes := make(images, (n+7)/8)
		for i := range bytes {
			for v := range 256 {
				for k := range 8 {
					if s := 8*i + k; v>>k&1 != 0 && s < n {
						bytes[i][v] |= 1 << y.Segment[s]
					}
				}
			}
		}
		t.images = append(t.images, bytes)
	}
	return t, nil
}

// Masks is the number of masks, 2 to the number of segments.
func (t *Board) Masks() uint64 { return 1 << t.segments }

// Grounded is the set of squares that are connected to the outside.
func (t *Board) Grounded(m uint32) uint32 {
	var g uint32
	for r := m; r != 0; r &= r - 1 {
		g = t.link(g, m, bits.TrailingZeros32(r))
	}
	return g
}

// Normal is the normal form of m, without the segments in closed areas, and
// the squares that are connected to the outside.
func (t *Board) Normal(m uint32) (normal, grounded uint32) {
	g := t.Grounded(m)
	return m & t.touch[g], g
}

// link gives the squares that are connected to the outside when segment e of m is taken
// into account, g being those without it.
func (t *Board) link(g, m uint32, e int) uint32 {
	a, b := t.sides[e][0], t.sides[e][1]
	switch {
	case b < 0:
		if g>>a&1 != 0 {
			return g
		}
	case g>>a&1 == g>>b&1:
		return g
	case g>>a&1 != 0:
		a = b
	}
	return t.flood(g, m, a)
}

// flood adds square a and what is connected with it.
func (t *Board) flood(g, m uint32, a int8) uint32 {
	var stack [MaxBoardSegments]int8
	g |= 1 << a
	stack[0] = a
	for n := 1; n > 0; {
		n--
		a := stack[n]
		for _, s := range t.around[a] {
			if m>>s&1 == 0 {
				continue
			}
			o := t.sides[s][0]
			if o == a {
				o = t.sides[s][1]
			}
			if o >= 0 && g>>o&1 == 0 {
				g |= 1 << o
				stack[n] = o
				n++
			}
		}
	}
	return g
}

// walk calls f with the masks base … base+2^low-1 in ascending order and their
// grounded squares; base has no bits below low. A mask's squares follow from
// those of the mask without its lowest bit: at[j] holds them for the current
// mask without the bits below j, so that counting up by one costs one link.
func (t *Board) walk(base uint32, low int, f func(m, grounded uint32)) {
	var at [MaxBoardSegments + 1]uint32
	g := t.Grounded(base)
	for j := range low + 1 {
		at[j] = g
	}
	f(base, g)
	for i := uint32(1); uint64(i) < 1<<low; i++ {
		m := base | i
		j := bits.TrailingZeros32(i)
		// Bits above j are as they were when at[j+1] was set.
		g := t.link(at[j+1], m, j)
		for k := range j + 1 {
			at[k] = g
		}
		f(m, g)
	}
}

// Canonical is the smallest mask among the images of m under the board's
// symmetries. All of them have the same value.
func (t *Board) Canonical(m uint32) uint32 {
	least := m
	for _, y := range t.images {
		least = min(least, y.of(m))
	}
	return least
}

func (t *Board) isCanonical(m uint32) bool {
	for _, y := range t.images {
		if y.of(m) < m {
			return false
		}
	}
	return true
}

// BoardSolver works out S for every mask of a board, chunk by chunk. Chunk c
// holds the masks whose upper bits are c; it needs the chunks whose bits are a
// part of these, so all chunks with the same number of bits, a layer, can be
// worked out at the same time. The values are held in memory, half a byte a
// mask.
type BoardSolver struct {
	*Board
	chunkBits int
	s         []byte // S of mask 2i in the low half of byte i, of 2i+1 in the high half
}

// chunkMasks are the upper bits of a mask that number its chunk, at most.
const chunkMasks = 7

// NewBoardSolver allocates the memory for a board.
func NewBoardSolver(b *Board) *BoardSolver {
	return &BoardSolver{
		Board:     b,
		chunkBits: max(min(b.segments, blockBits), b.segments-chunkMasks),
		s:         make([]byte, max(1, b.Masks()/2)),
	}
}

// Layers lists the chunks by the number of their bits: all that a chunk needs
// lies in earlier layers or in the chunk itself.
func (t *BoardSolver) Layers() [][]int {
	out := make([][]int, t.segments-t.chunkBits+1)
	for c := range t.Chunks() {
		n := bits.OnesCount(uint(c))
		out[n] = append(out[n], c)
	}
	return out
}

// Chunks is the number of chunks.
func (t *BoardSolver) Chunks() int { return 1 << (t.segments - t.chunkBits) }

// ChunkMasks is the number of masks in a chunk.
func (t *BoardSolver) ChunkMasks() uint64 { return 1 << t.chunkBits }

// Values is the packed S of a chunk, two masks a byte, the lower mask in the
// low half. It is the memory itself: a chunk is restored by copying into it.
func (t *BoardSolver) Values(chunk int) []byte {
	size := max(1, len(t.s)>>(t.segments-t.chunkBits))
	return t.s[chunk*size : (chunk+1)*size]
}

// S is what the mover gets from mask m. The chunks up to m's must have been
// solved or restored.
func (t *BoardSolver) S(m uint32) int { return int(t.s[m>>1] >> (m & 1 << 2) & 15) }

// V is the value of mask m for the mover.
func (t *BoardSolver) V(m uint32) int { return 2*t.S(m) - bits.OnesCount32(t.Grounded(m)) }

// solvePart is the number of low bits that are worked out between two looks
// at the context.
const solvePart = 16

// Solve works out the masks of a chunk; the chunks of earlier layers must be
// there. It returns the number of normal masks, the positions, by value, and calls
// done after every part with the number of masks in it.
func (t *BoardSolver) Solve(ctx context.Context, chunk int, done func(masks uint64)) (map[int]uint64, error) {
	s := t.s
	var counts [2*MaxBoardSegments + 1]uint64 // from -MaxBoardSegments up
	part := min(t.chunkBits, solvePart)
	for i := range uint32(1) << (t.chunkBits - part) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		base := uint32(chunk)<<t.chunkBits | i<<part
		t.walk(base, part, func(m, g uint32) {
			n := m & t.touch[g]
			if n != m {
				t.put(m, s[n>>1]>>(n&1<<2)&15)
				return
			}
			squares := bits.OnesCount32(g)
			least := uint8(squares) // no S is larger
			for r := m; r != 0; r &= r - 1 {
				x := m ^ r&-r
				least = min(least, s[x>>1]>>(x&1<<2)&15)
			}
			v := uint8(squares) - least
			t.put(m, v)
			counts[MaxBoardSegments+2*int(v)-squares]++
		})
		done(1 << part)
	}
	hist := map[int]uint64{}
	for i, n := range counts {
		if n > 0 {
			hist[i-MaxBoardSegments] = n
		}
	}
	return hist, nil
}

func (t *BoardSolver) put(m uint32, v uint8) {
	if m&1 == 0 {
		t.s[m>>1] = v
	} else {
		t.s[m>>1] |= v << 4
	}
}
