package certificate

import (
	"math/bits"
	"slices"
)

// maxLines is the maximum number of lines of a board, and so of bits of a position (pack).
const maxLines = 56

// claims is a set of claims with the same side to move, one per position, with linear probing.
type claims struct {
	slots []uint64 // see pack; 0 if empty, because no claim has position 0
	used  int
}

const leastBias = 1 << 7 // makes the number of a claim (least) a positive byte

func pack(position uint64, least int8) uint64 { return position<<8 | uint64(int(least)+leastBias) }

func unpack(slot uint64) (position uint64, least int8) {
	return slot >> 8, int8(int(slot&0xff) - leastBias)
}

// find returns the slot of the claim about position, or else an empty slot; there must be one.
func (c *claims) find(position uint64) *uint64 {
	mask := len(c.slots) - 1
	for i := int(position * 0x9e3779b97f4a7c15 >> (64 - bits.Len(uint(mask)))); ; i++ {
		if s := &c.slots[i&mask]; *s == 0 || *s>>8 == position {
			return s
		}
	}
}

// holds reports whether the set contains a claim about the position with at least this number.
func (c *claims) holds(position uint64, least int8) bool {
	return len(c.slots) > 0 && *c.find(position) >= pack(position, least)
}

// raise adds a claim. Of two claims about a position, the one with the larger number remains.
func (c *claims) raise(position uint64, least int8) {
	if c.used >= len(c.slots)/4*3 {
		old := c.slots
		c.slots = make([]uint64, max(16, 2*len(old)))
		for _, s := range old {
			if s != 0 {
				*c.find(s >> 8) = s
			}
		}
	}
	s := c.find(position)
	if *s == 0 {
		c.used++
	}
	*s = max(*s, pack(position, least))
}

func (c *claims) sorted() []uint64 {
	all := make([]uint64, 0, c.used)
	for _, s := range c.slots {
		if s != 0 {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	return all
}
