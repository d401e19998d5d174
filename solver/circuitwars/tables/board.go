// Package tables computes values of Circuit Wars without pruning: [BoardSolver] those of all
// positions of a small board, [Endings] those of all positions with few free segments on boards
// up to [Side] x [Side]. Each value follows from those of the positions one move later, so the
// tables are an independent check of the alpha-beta solver.
//
// # Boards
//
// A position of a board is the set m of its free segments, as a bitset. Let
//
//	A(m)  be the number of squares that are connected to the outside,
//	n(m)  the normal form of m: m without the segments next to no square that is
//	      connected to the outside,
//	S(m)  the number of squares that the side to move gains from m with best play.
//
// The opponent gains A(m)-S(m), so the value is V(m) = 2*S(m) - A(m). If m is normal and not empty,
//
//	S(m) = A(m) - min over e in m of S(m-e).
//
// Proof. The side to move draws e and captures A(m)-A(m-e) squares. Then the opponent is to move and
// gains S(m-e) of the other A(m-e) squares, which leaves A(m-e)-S(m-e). The sum is A(m)-S(m-e). QED
//
// For other sets, S(m) = S(n(m)), so the formula can use S(m-e) without computing n(m-e). As n(m)
// and m-e are smaller numbers than m, the values are computed in ascending order of m.
package tables

import (
	"context"
	"fmt"
	"math/bits"

	"endwise/engine/grid"
)

// MaxBoardSegments is the maximum number of segments of a board that can be solved completely. The
// values take half a byte per set.
const MaxBoardSegments = 32

// Board is the geometry of a board as bitsets of segments (masks) and of squares. It is immutable.
type Board struct {
	board      *grid.Board
	segments   int
	sides      [][2]int8  // segment → the squares next to it, -1 for the outside
	around     [][4]uint8 // square → its segments
	touch      []uint32   // set of squares → mask of their segments
	symmetries []symmetry // without the identity
}

// symmetry is a symmetry of the board: for each byte of a mask, the images of its 256 values.
type symmetry [][256]uint32

func newSymmetry(to []int) symmetry {
	y := make(symmetry, (len(to)+7)/8)
	for s, image := range to {
		bytes := &y[s/8]
		for v := range bytes {
			if v>>(s%8)&1 != 0 {
				bytes[v] |= 1 << image
			}
		}
	}
	return y
}

func (y symmetry) image(m uint32) uint32 {
	var x uint32
	for i := range y {
		x |= y[i][m>>(8*i)&255]
	}
	return x
}

// NewBoard returns the geometry of a board with at most [MaxBoardSegments] segments.
func NewBoard(b *grid.Board) (*Board, error) {
	n := b.Segments()
	if n > MaxBoardSegments {
		return nil, fmt.Errorf("board %s has %d segments, a complete table is possible up to %d", b, n, MaxBoardSegments)
	}
	t := &Board{board: b, segments: n}
	for s := range n {
		o := b.Sides(s)
		t.sides = append(t.sides, [2]int8{int8(o[0]), int8(o[1])})
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
		t.symmetries = append(t.symmetries, newSymmetry(y.Segment))
	}
	return t, nil
}

func (t *Board) Masks() uint64 { return 1 << t.segments }

// Grounded returns the set of squares connected to the outside by the free segments m.
func (t *Board) Grounded(m uint32) uint32 {
	var g uint32
	for r := m; r != 0; r &= r - 1 {
		g = t.link(g, m, bits.TrailingZeros32(r))
	}
	return g
}

// Normal returns the normal form of m and the squares connected to the outside.
func (t *Board) Normal(m uint32) (normal, grounded uint32) {
	g := t.Grounded(m)
	return m & t.touch[g], g
}

// link returns the union of g, squares connected to the outside, and the squares that segment e connects
// to g or the outside, directly or through other segments of m.
func (t *Board) link(g, m uint32, e int) uint32 {
	a, b := t.sides[e][0], t.sides[e][1]
	connected := g>>a&1 != 0
	switch {
	case b < 0:
		if connected {
			return g
		}
	case connected == (g>>b&1 != 0):
		return g
	case connected:
		a = b
	}
	return t.flood(g, m, a)
}

// flood adds to g the square from and the squares outside g that the segments m connect with it.
func (t *Board) flood(g, m uint32, from int8) uint32 {
	var stack [MaxBoardSegments]int8
	g |= 1 << from
	stack[0] = from
	for n := 1; n > 0; {
		n--
		sq := stack[n]
		for _, s := range t.around[sq] {
			if m>>s&1 == 0 {
				continue
			}
			o := t.sides[s][0]
			if o == sq {
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

// walk calls f with the masks base … base+2^low-1 in ascending order and their grounded squares.
// The low lowest bits of base must be 0.
func (t *Board) walk(base uint32, low int, f func(m, grounded uint32)) {
	var at [MaxBoardSegments + 1]uint32 // j → grounded squares of the mask without the bits below j
	g := t.Grounded(base)
	for j := range low + 1 {
		at[j] = g
	}
	f(base, g)
	for i := uint32(1); uint64(i) < 1<<low; i++ {
		m := base | i
		j := bits.TrailingZeros32(i)
		// The bits from j+1 on have not changed since at[j+1] was set.
		g := t.link(at[j+1], m, j)
		for k := range j + 1 {
			at[k] = g
		}
		f(m, g)
	}
}

// Canonical returns the smallest image of m under the board's symmetries.
func (t *Board) Canonical(m uint32) uint32 {
	least := m
	for _, y := range t.symmetries {
		least = min(least, y.image(m))
	}
	return least
}

func (t *Board) isCanonical(m uint32) bool {
	for _, y := range t.symmetries {
		if y.image(m) < m {
			return false
		}
	}
	return true
}

// BoardSolver computes S for all masks of a board, by chunks. Chunk c contains the masks whose upper
// bits are c. A layer consists of the chunks whose numbers have equally many bits set.
type BoardSolver struct {
	*Board
	chunkBits int    // number of low bits in which the masks of a chunk differ
	s         []byte // packed S, see Values
}

const maxChunkNumberBits = 7 // maximum number of bits of a chunk's number

// NewBoardSolver returns a solver of b in which no chunk is solved. A chunk has at least one block of the
// table, if the board has as many masks.
func NewBoardSolver(b *Board) *BoardSolver {
	return &BoardSolver{
		Board:     b,
		chunkBits: max(min(b.segments, blockBits), b.segments-maxChunkNumberBits),
		s:         make([]byte, b.Masks()/2),
	}
}

// Layers returns the numbers of the chunks of each layer, in the order of solving.
func (t *BoardSolver) Layers() [][]int {
	out := make([][]int, t.segments-t.chunkBits+1)
	for c := range t.Chunks() {
		n := bits.OnesCount(uint(c))
		out[n] = append(out[n], c)
	}
	return out
}

func (t *BoardSolver) Chunks() int { return 1 << (t.segments - t.chunkBits) }

func (t *BoardSolver) ChunkMasks() uint64 { return 1 << t.chunkBits }

// Values returns S of a chunk's masks, packed: two per byte, the lower mask in the low half. The
// slice is the solver's memory: copying into it restores a chunk.
func (t *BoardSolver) Values(chunk int) []byte {
	size := max(1, len(t.s)>>(t.segments-t.chunkBits))
	return t.s[chunk*size : (chunk+1)*size]
}

// Gained returns S(m). The mask's chunk must have been solved or restored.
func (t *BoardSolver) Gained(m uint32) int { return int(nibble(t.s, m)) }

// Value returns V(m). The mask's chunk must have been solved or restored.
func (t *BoardSolver) Value(m uint32) int { return 2*t.Gained(m) - bits.OnesCount32(t.Grounded(m)) }

const solvePart = 16 // Solve checks the context once per 1<<solvePart masks

// Solve solves the masks of a chunk. The chunks of earlier layers must have been solved or restored.
// Solve calls done repeatedly with the number of masks solved since the previous call. It returns
// the number of positions by their value V, counting only masks in normal form. The only error is
// that of ctx; the chunk is then not solved. Chunks of one layer can be solved concurrently.
func (t *BoardSolver) Solve(ctx context.Context, chunk int, done func(masks uint64)) (map[int]uint64, error) {
	s := t.s
	var counts [2*MaxBoardSegments + 1]uint64 // by value + MaxBoardSegments
	part := min(t.chunkBits, solvePart)
	for i := range uint32(1) << (t.chunkBits - part) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		base := uint32(chunk)<<t.chunkBits | i<<part
		t.walk(base, part, func(m, g uint32) {
			normal := m & t.touch[g]
			if normal != m {
				t.put(m, nibble(s, normal))
				return
			}
			squares := bits.OnesCount32(g)
			least := uint8(squares) // no S is greater
			for r := m; r != 0; r &= r - 1 {
				least = min(least, nibble(s, m^r&-r))
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

// nibble returns value i of packed values; see Values.
func nibble(packed []byte, i uint32) uint8 { return packed[i>>1] >> (i & 1 << 2) & 15 }

// put sets S(m). Masks must be set in ascending order: an even mask clears the value of the next.
func (t *BoardSolver) put(m uint32, v uint8) {
	if m&1 == 0 {
		t.s[m>>1] = v
	} else {
		t.s[m>>1] |= v << 4
	}
}
