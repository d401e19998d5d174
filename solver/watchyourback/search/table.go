package search

import (
	"math/bits"
	"sync/atomic"

	"endwise/engine"
	"endwise/solver/tt"
)

// table is the transposition table, which all workers read and write without
// locks. The key is the whole position, so that no two positions share a value.
// The newest entry always stays: there is nothing to age.
type table struct {
	slots []slot
	mask  uint64
}

// slot is one entry, 24 bytes: the entry's data, and the two sides mixed with
// it. A slot that two workers have written to at the same time does not fit
// together any more, but for one in 2^64, and reads as empty.
type slot struct{ own, opp, data atomic.Uint64 }

// entry is what the table knows of a position, in 64 bits from high to low:
// the score and the depth (together 32), the bound (2), the move (14) and the
// stamp of the turn (16).
type entry uint64

// Bounds; an empty entry has none.
const (
	lower = 1 + iota
	upper
	exact
)

// provedDepth is the depth of an entry whose value is proved: enough for any.
const provedDepth = 127

func newEntry(n node, m engine.Move, bound, score, depth int) entry {
	return entry(uint64(uint32(score<<8|depth))<<32 | uint64(bound)<<30 | uint64(m)<<16 | uint64(uint16(n.stamp())))
}

func (e entry) stamp() int16      { return int16(e) }
func (e entry) best() engine.Move { return engine.Move(e >> 16 & 0x3fff) }
func (e entry) bound() int        { return int(e >> 30 & 3) }
func (e entry) depth() int        { return int(e >> 32 & 0xff) }
func (e entry) score() int        { return int(int32(e>>32)) >> 8 }

// newTable has at most so many bytes, but room for a thousand entries. Every
// page of it is touched, so that a search under a clock does not wait for the
// system to find the memory.
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

// lookup finds the entry of a node.
func (t *table) lookup(n node) (entry, bool) {
	s := &t.slots[n.hash()&t.mask]
	e := entry(s.data.Load())
	own, opp := mixed(n, e)
	return e, e.bound() != 0 && e.stamp() == n.stamp() && s.own.Load() == own && s.opp.Load() == opp
}

// store replaces whatever is in the node's slot.
func (t *table) store(n node, e entry) {
	s := &t.slots[n.hash()&t.mask]
	own, opp := mixed(n, e)
	s.own.Store(own)
	s.opp.Store(opp)
	s.data.Store(uint64(e))
}

// mixed are the words that go with the data of a node's entry. Each depends on
// all three, so that words of two entries never pass for a third.
func mixed(n node, e entry) (own, opp uint64) {
	d := uint64(e) * 0x9E3779B97F4A7C15
	return n.own ^ d ^ bits.RotateLeft64(n.opp*0xD6E8FEB86659FD93, 17), n.opp ^ bits.RotateLeft64(d+n.own*0xC2B2AE3D27D4EB4F, 32)
}
