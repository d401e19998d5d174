package tables

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// Format of a 6x6 table, which contains the positions with a given number of pieces.
//
// Order. Positions are numbered (ranked) by [Material], beginning with two own pieces. If a and b
// are the numbers of own and of opponent's pieces, the number of a position in its material is
// [Rank](own) * C(32-a, b) plus the rank of the opponent's squares among those without own pieces.
//
// Values. The table contains a dictionary of the distinct profiles and the number of the [Profile]
// of each position. Profiles are numbered in the order of their first occurrence. A profile is
// divided into two halves, the values for odd and for even numbers of turns. The dictionary
// contains the distinct halves, and the profiles as pairs of halves.
//
// Blocks. The table consists of blocks:
//
//	position blocks    of BlockPositions positions each; the last one may be shorter
//	dictionary blocks  the encoded dictionary (dictionary.encode), divided into
//	                   dictionaryBlocks blocks of dictionaryBytes bytes; the last ones may
//	                   be shorter or empty
//
// A position block contains
//
//	uvarint            n, the number of distinct profile numbers in the block
//	n uvarints         these numbers in ascending order: the first, then differences
//	1 byte/position    lower byte of the position's index in this list
//	1 byte/position    upper byte of the index; only if n > 256
//
// Unreachable positions have the profile of the last reachable position before them, or profile 0.

// BlockPositions is the number of positions in a position block; the last one may be shorter.
const BlockPositions = 4096

const dictionaryBytes = 512 << 10 // maximum size of a dictionary block

// Layout describes the positions and blocks of a table.
type Layout struct {
	Pieces    int
	first     []uint64 // rank of each material's first position, by number of own pieces minus two
	positions uint64
}

// LayoutOf returns the layout of the table for 4 to [MaxTablePieces] pieces.
func LayoutOf(pieces int) Layout {
	l := Layout{Pieces: pieces}
	for _, m := range Materials(pieces) {
		if m.Own+m.Opp == pieces {
			l.first = append(l.first, l.positions)
			l.positions += uint64(m.Positions())
		}
	}
	return l
}

// Positions returns the number of positions, reachable or not.
func (l Layout) Positions() uint64 { return l.positions }

// Blocks returns the number of blocks, including those of the dictionary.
func (l Layout) Blocks() uint64 { return l.positionBlocks() + l.dictionaryBlocks() }

func (l Layout) dictionaryBlocks() uint64 { return 1 << (3 * (l.Pieces - 4)) }

func (l Layout) positionBlocks() uint64 { return (l.positions + BlockPositions - 1) / BlockPositions }

// rankOf returns the number of a position with the table's number of pieces, at least two per side.
func (l Layout) rankOf(own, opp uint32) uint64 {
	a, b := bits.OnesCount32(own), bits.OnesCount32(opp)
	var oppRank uint64
	k := 1
	for w := opp; w != 0; w &= w - 1 {
		s := bits.TrailingZeros32(w)
		free := s - bits.OnesCount32(own&(1<<s-1))
		oppRank += uint64(binomial[free][k])
		k++
	}
	return l.first[a-2] + uint64(Rank(own))*uint64(binomial[Squares-a][b]) + oppRank
}

// blockEncoder encodes position blocks.
type blockEncoder struct {
	list  []uint32 // distinct profile numbers of the block, ascending
	index []uint16 // by profile number: its index in list plus 1, or 0
}

// encode returns the position block for the profile numbers ids, all below profiles.
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

// block is a decoded position block: position i has profile number ids[low[i] | high[i]<<8]. high
// is nil if there are at most 256 ids.
type block struct {
	ids       []uint32
	low, high []byte
}

// decodeBlock decodes a block of n positions of a table with the given number of profiles. The
// result refers to payload.
func decodeBlock(payload []byte, n, profiles int) (*block, error) {
	bad := fmt.Errorf("damaged block of %d bytes", len(payload))
	count, k := binary.Uvarint(payload)
	if k <= 0 || count == 0 || count > uint64(n) {
		return nil, bad
	}
	payload = payload[k:]
	b := &block{ids: make([]uint32, count)}
	var id uint64
	for i := range b.ids {
		d, k := binary.Uvarint(payload)
		if k <= 0 || d > 1<<28 {
			return nil, bad
		}
		if id += d; id >= uint64(profiles) {
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

// index returns the index in ids of the profile number of position i.
func (b *block) index(i int) int {
	k := int(b.low[i])
	if b.high != nil {
		k |= int(b.high[i]) << 8
	}
	return k
}
