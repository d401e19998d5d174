package certificate

import (
	"math/bits"
	"slices"
)

// maxLines is the maximum number of lines of a board, and so of bits of a position (pack).
const maxLines = 56

// claims is a set of claims with the same side to move, one per position: a hash table
// with linear probing. A claim takes one word, see pack. The zero value is empty.
type claims struct {
	slots []uint64 // 0 if empty: no claim has position 0
	used  int      // number of claims
}

// leastBias is added to the number of a claim (least), so that it is stored as a positive byte.
const leastBias = 1 << 7

// pack returns the word that stores a claim: the position, and the claim's number least in the
// low byte.
func pack(position uint64, least int8) uint64 { return position<<8 | uint64(int(least)+leastBias) }

// unpack returns the claim stored in a word.
func unpack(slot uint64) (position uint64, least int8) {
	return slot >> 8, int8(int(slot&0xff) - leastBias)
}

// find returns the slot of a position, or the empty slot where it would be inserted.
func (c *claims) find(position uint64) *uint64 {
	mask := len(c.slots) - 1
	for i := int(position * 0x9e3779b97f4a7c15 >> (64 - bits.Len(uint(mask)))); ; i++ {
		if s := &c.slots[i&mask]; *s == 0 || *s>>8 == position {
			return s
		}
	}
}

// holds reports whether the set contains a claim about the position whose number is at least
// least.
func (c *claims) holds(position uint64, least int8) bool {
	return len(c.slots) > 0 && *c.find(position) >= pack(position, least)
}

// raise adds a claim about the position with the number least, or raises the number of the
// existing claim to least.
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

// sorted returns the packed claims in ascending order of their positions.
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

// clear removes all claims.
func (c *claims) clear() {
	clear(c.slots)
	c.used = 0
}
