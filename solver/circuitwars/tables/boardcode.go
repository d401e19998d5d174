package tables

import "math/bits"

// The table of a board stores a code for each mask, half of V rounded up, in 4 bits with sign:
//
//	code(m) = (V(m) + A(m) mod 2) / 2 = S(m) - floor(A(m)/2)   mod 16
//
// V and A have the same parity, so V = 2*code - (A mod 2). Masks that are not in normal form, or
// that a symmetry of the board makes smaller, have the code 0. A block has the codes of 2^blockBits
// consecutive masks, packed as in [BoardSolver.Values].

const blockBits = 12 // number of low bits in which the masks of a block differ

// BlockValues is the number of codes in a block.
const BlockValues = 1 << blockBits

// Encode returns the codes of a block, and the number of its masks that are canonical and in normal form. s contains S of the
// block's masks, packed as in [BoardSolver.Values].
func (t *Board) Encode(block uint64, s []byte) (codes []byte, coded uint64) {
	codes = make([]byte, len(s))
	low := min(blockBits, t.segments)
	base := uint32(block) << low
	t.walk(base, low, func(m, g uint32) {
		if m&t.touch[g] != m || !t.isCanonical(m) {
			return
		}
		coded++
		i := m - base
		code := nibble(s, i) - uint8(bits.OnesCount32(g)/2)
		codes[i>>1] |= code & 15 << (i & 1 << 2)
	})
	return codes, coded
}

// Place returns the mask whose code is the one for m, and the squares that m connects to the outside.
func (t *Board) Place(m uint32) (rank uint64, grounded uint32) {
	n, g := t.Normal(m)
	return uint64(t.Canonical(n)), g
}

// Decode returns V(m) from the code stored at rank, and from grounded, where rank and grounded are the
// results of Place(m).
func Decode(code uint8, grounded uint32) int {
	signed := int8(code<<4) >> 4
	return 2*int(signed) - bits.OnesCount32(grounded)&1
}
