package search

import (
	"math/bits"
	"sync/atomic"

	"endwise/engine"
	"endwise/solver/tt"
)

// table is the transposition table. Workers use it without locks. A slot contains the complete
// position of its entry. A new entry replaces the old one in its slot.
type table struct {
	slots []slot
	mask  uint64
}

// slot contains an entry and the pieces of its position, combined by mixed. If two workers write a
// slot concurrently, the words may come from different writes. The combination shows this, except
// with probability 2^-64, and the slot counts as empty.
type slot struct{ own, opp, data atomic.Uint64 }

// entry consists, from high to low bits, of the score (24 bits), depth (8), kind of bound (2), best
// move (14) and gameTurns of the node (16).
type entry uint64

// Kinds of bounds: the value is at least, at most, or equal to the score. 0 means no entry.
const (
	lower = 1 + iota
	upper
	exact
)

// provedDepth is the depth of entries with a proved score. It exceeds every search depth.
const provedDepth = 127

func newEntry(n node, m engine.Move, bound, score, depth int) entry {
	high := uint64(uint32(score<<8 | depth))
	return entry(high<<32 | uint64(bound)<<30 | uint64(m)<<16 | uint64(uint16(n.gameTurns())))
}

func (e entry) gameTurns() int16 { return int16(e) }

func (e entry) best() engine.Move { return engine.Move(e >> 16 & 0x3fff) }

func (e entry) bound() int { return int(e >> 30 & 3) }

func (e entry) depth() int { return int(e >> 32 & 0xff) }

func (e entry) score() int { return int(int32(e>>32)) >> 8 }

// newTable returns a table with a power of two of slots, at least 1,024, that takes at most the
// given number of bytes if possible. It touches every page, so searches meet no page faults.
func newTable(bytes int64) *table {
	const slotsInPage = 4096 / 24
	n := uint64(max(bytes, 24<<10)) / 24
	n = 1 << (bits.Len64(n) - 1)
	t := &table{mask: n - 1}
	t.slots = tt.Make[slot](t, int(n))
	for i := uint64(0); i < n; i += slotsInPage {
		t.slots[i].data.Store(0)
	}
	return t
}

// lookup returns the entry of n. ok is false, and e meaningless, if there is none.
func (t *table) lookup(n node) (e entry, ok bool) {
	s := &t.slots[n.hash()&t.mask]
	e = entry(s.data.Load())
	own, opp := mixed(n, e)
	used := e.bound() != 0
	return e, used && e.gameTurns() == n.gameTurns() && s.own.Load() == own && s.opp.Load() == opp
}

func (t *table) store(n node, e entry) {
	s := &t.slots[n.hash()&t.mask]
	own, opp := mixed(n, e)
	s.own.Store(own)
	s.opp.Store(opp)
	s.data.Store(uint64(e))
}

// mixed returns the words own and opp of the slot for a node with the entry e. For a given e, nodes
// with different pieces have different words.
func mixed(n node, e entry) (own, opp uint64) {
	d := uint64(e) * 0x9E3779B97F4A7C15
	own = n.own ^ d ^ bits.RotateLeft64(n.opp*0xD6E8FEB86659FD93, 17)
	opp = n.opp ^ bits.RotateLeft64(d+own*0xC2B2AE3D27D4EB4F, 32)
	return own, opp
}
