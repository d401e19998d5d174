package retrograde

import (
	"endwise/solver/watchyourback/tables"
)

// matrix contains the values of all positions of one material in one layer, as two bit matrices.
// Row i belongs to the set with rank i of one side, bit j of a row to the set with rank j of the
// other side. A position is won for the side to move if its bit in win is set, lost if its bit in
// loss is set, and otherwise a tie. Overlapping sets have no bit set.
type matrix struct {
	rows, words int
	win, loss   []uint64 // the rows one after the other
	// changed contains a bitset of marks words for each row: the indexes of the words in which win
	// or loss differs from the layer two turns earlier.
	changed []uint64
	marks   int
}

func newMatrix(rows, cols int) *matrix {
	words := (cols + 63) / 64
	marks := (words + 63) / 64
	return &matrix{
		rows: rows, words: words, marks: marks,
		win: make([]uint64, rows*words), loss: make([]uint64, rows*words),
		changed: make([]uint64, rows*marks),
	}
}

func (m *matrix) row(i uint32) (win, loss bitset) {
	a, b := int(i)*m.words, int(i+1)*m.words
	return m.win[a:b:b], m.loss[a:b:b]
}

func (m *matrix) changedIn(row uint32) bitset {
	a, b := int(row)*m.marks, (int(row)+1)*m.marks
	return m.changed[a:b:b]
}

// matrices contains a matrix per material, by the numbers of pieces of the rows' and the other side.
type matrices [tables.MaxSide + 1][tables.MaxSide + 1]*matrix

func (s *matrices) of(m tables.Material) *matrix { return s[m.Own][m.Opp] }

// transpose sets s.before to the transpose of layer s.turn.
func (s *sweep) transpose() {
	s.before = &s.transposed[s.turn&1]
	for _, m := range s.materials {
		transposeMatrix(s.layer[s.turn&1].of(m), s.before.of(m))
	}
}

// transposeMatrix transposes from into to, which contains the transpose of an earlier layer.
// from.changed must contain the differences between the two layers.
func transposeMatrix(from, to *matrix) {
	blocks := make([]bitset, to.words)
	parallel(to.words, func(a int) {
		blocks[a] = make(bitset, from.marks)
		for row := 64 * a; row < min(64*a+64, from.rows); row++ {
			blocks[a].add(from.changedIn(uint32(row)))
		}
	})
	parallel(from.words, func(b int) {
		var block [64]uint64
		rows := min(64, to.rows-64*b)
		clear(to.changed[64*b*to.marks : (64*b+rows)*to.marks])
		for a := range to.words {
			if blocks[a].has(uint32(b)) {
				transposeBlock(from, to, from.win, to.win, a, b, &block)
				transposeBlock(from, to, from.loss, to.loss, a, b, &block)
			}
		}
	})
}

// transposeBlock transposes the 64x64 bits at row 64a and column 64b of src to row 64b and column
// 64a of dst, and records the changed words in to. src is from.win or from.loss, dst the same field
// of to. block is scratch memory.
func transposeBlock(from, to *matrix, src, dst []uint64, a, b int, block *[64]uint64) {
	n := min(64, from.rows-64*a)
	for i := range n {
		block[i] = src[(64*a+i)*from.words+b]
	}
	clear(block[n:])
	transpose64(block)
	for i := range min(64, to.rows-64*b) {
		row := 64*b + i
		if at := &dst[row*to.words+a]; *at != block[i] {
			*at = block[i]
			to.changedIn(uint32(row))[a>>6] |= 1 << (a & 63)
		}
	}
}

// transpose64 transposes a 64x64 bit matrix: bit j of word i becomes bit i of word j.
func transpose64(m *[64]uint64) {
	mask := uint64(0x00000000ffffffff)
	for j := 32; j != 0; j >>= 1 {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (m[k]>>j ^ m[k+j]) & mask
			m[k] ^= t << j
			m[k+j] ^= t
		}
		mask ^= mask << (j >> 1)
	}
}
