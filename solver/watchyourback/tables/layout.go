package tables

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// A packed table holds all materials with one total number of pieces. Its
// positions are ranked material by material (fewer own pieces first); within
// a material the rank is Rank(own)*C(32-own, opp) + rank of the opponent's
// squares among those that own leaves free.
//
// A profile is the value of a position for all 64 turns. There are few: the
// values with an odd number of turns left settle, those with an even number
// settle, and each half takes a few thousand forms in two million positions.
// So a table has a dictionary of halves, a dictionary of profiles as pairs of
// halves, numbered in the order in which they appear, and blocks of
// BlockPositions positions:
//
//	uvarint n; n ascending profile numbers, the first as it is and the
//	others as uvarint differences; one byte a position, the lower half of
//	its index into that list; if n > 256, one byte a position with the
//	upper half
//
// Positions that no game reaches take the profile of the one before them.
// Position blocks come first, then as many blocks as Layout sets apart for
// the dictionary, cut into equal pieces, the last ones empty. The blocks are
// meant to be stored compressed.

// BlockPositions is the number of positions in a block.
const BlockPositions = 4096

// dictionaryBytes is how much of the dictionary a block takes.
const dictionaryBytes = 512 << 10

// Layout says where the positions of a table lie.
type Layout struct {
	Pieces    int
	materials []Material
	first     []uint64 // rank of each material's first position
	positions uint64
}

// LayoutOf is the layout of the table of all materials with exactly pieces
// pieces.
func LayoutOf(pieces int) Layout {
	l := Layout{Pieces: pieces}
	for _, m := range Materials(pieces) {
		if m.Own+m.Opp == pieces {
			l.materials = append(l.materials, m)
			l.first = append(l.first, l.positions)
			l.positions += uint64(m.Positions())
		}
	}
	return l
}

// Positions is the number of positions, reachable or not.
func (l Layout) Positions() uint64 { return l.positions }

// Blocks is the number of blocks, those of the dictionary included.
func (l Layout) Blocks() uint64 { return l.positionBlocks() + l.dictionaryBlocks() }

// dictionaryBlocks is the room for the dictionary: some 6 bytes a profile;
// there are 24 thousand profiles of 4 pieces, 46 thousand of 5 and 1.2
// million of 6.
func (l Layout) dictionaryBlocks() uint64 { return 1 << (3 * (l.Pieces - 4)) }

func (l Layout) positionBlocks() uint64 { return (l.positions + BlockPositions - 1) / BlockPositions }

// rankOf is the rank of a position whose material the table holds.
func (l Layout) rankOf(own, opp uint32) uint64 {
	a, b := bits.OnesCount32(own), bits.OnesCount32(opp)
	var r uint64
	k := 1
	for w := opp; w != 0; w &= w - 1 {
		s := bits.TrailingZeros32(w)
		free := s - bits.OnesCount32(own&(1<<s-1))
		r += uint64(binomial[free][k])
		k++
	}
	// Materials with the same total are ordered by own pieces, from two.
	return l.first[a-2] + uint64(Rank(own))*uint64(binomial[Squares-a][b]) + r
}

// blockEncoder packs blocks.
type blockEncoder struct {
	index []uint16 // by profile number: one more than its index in the block's list, else 0
	list  []uint32
}

// encode packs the profile numbers of a block's positions, all below profiles.
func (e *blockEncoder) encode(ids []uint32, profiles int) []byte {
	e.index = append(e.index, make([]uint16, max(0, profiles-len(e.index)))...)
	e.list = e.list[:0]
	for _, id := range ids {
		if e.index[id] == 0 {
			e.index[id] = 1
			e.list = append(e.list, id)
		}
	}
	slices.Sort(e.list)
	out := binary.AppendUvarint(nil, uint64(len(e.list)))
	last := uint32(0)
	for i, id := range e.list {
		out = binary.AppendUvarint(out, uint64(id-last))
		last = id
		e.index[id] = uint16(i + 1)
	}
	low := len(out)
	out = append(out, make([]byte, len(ids))...)
	if len(e.list) > 256 {
		out = append(out, make([]byte, len(ids))...)
	}
	for i, id := range ids {
		n := e.index[id] - 1
		out[low+i] = byte(n)
		if len(e.list) > 256 {
			out[low+len(ids)+i] = byte(n >> 8)
		}
	}
	for _, id := range e.list {
		e.index[id] = 0
	}
	return out
}

// block is a decoded block: position i has profile number
// ids[low[i] | high[i]<<8], high being nil where one byte is enough.
type block struct {
	ids       []uint32
	low, high []byte
}

// decodeBlock is the inverse of blockEncoder.encode; n is the number of positions. The
// payload is kept.
func decodeBlock(payload []byte, n, profiles int) (*block, error) {
	bad := fmt.Errorf("block of %d bytes contradicts itself", len(payload))
	count, k := binary.Uvarint(payload)
	if k <= 0 || count == 0 || count > uint64(n) {
		return nil, bad
	}
	payload = payload[k:]
	b := &block{ids: make([]uint32, count)}
	var id uint64
	for i := range b.ids {
		d, k := binary.Uvarint(payload)
		if id += d; k <= 0 || d > 1<<28 || id >= uint64(profiles) {
			return nil, bad
		}
		b.ids[i] = uint32(id)
		payload = payload[k:]
	}
	want := n
	if count > 256 {
		want = 2 * n
	}
	if len(payload) != want {
		return nil, bad
	}
	b.low = payload[:n:n]
	if count > 256 {
		b.high = payload[n:]
	}
	for i := range n {
		if b.index(i) >= len(b.ids) {
			return nil, bad
		}
	}
	return b, nil
}

func (b *block) index(i int) int {
	k := int(b.low[i])
	if b.high != nil {
		k |= int(b.high[i]) << 8
	}
	return k
}
