package search

import (
	"math/bits"
	"sync/atomic"

	"endwise/engine"
	"endwise/solver/tt"
)

// table is the transposition table, which all workers read and write without locks. The key
// is the whole position, so positions never share an entry. New entries always replace old
// ones.
type table struct {
	slots []slot
	mask  uint64
}

// slot is an entry of 24 bytes: the data, and the two sides mixed with it. If two workers
// write a slot at the same time, its words do not match, except with probability 2^-64, and
// the slot counts as empty.
type slot struct{ own, opp, data atomic.Uint64 }

// entry contains the value of a position in 64 bits, from high to low: score (24), depth
// (8), bound (2), move (14), and the stamp of the turn (16).
type entry uint64

// Kinds of bounds; 0 is an empty entry.
const (
	lower = 1 + iota
	upper
	exact
)

// provedDepth is the depth of entries with a proved value; it exceeds every search depth.
const provedDepth = 127

// newEntry packs an entry; depth is 0 to 127, score fits into 24 bits.
func newEntry(n node, m engine.Move, bound, score, depth int) entry {
	return entry(uint64(uint32(score<<8|depth))<<32 | uint64(bound)<<30 | uint64(m)<<16 | uint64(uint16(n.stamp())))
}

// stamp returns the node's stamp.
func (e entry) stamp() int16 { return int16(e) }

// best returns the best move.
func (e entry) best() engine.Move { return engine.Move(e >> 16 & 0x3fff) }

// bound returns the kind of the score: exact, or a bound.
func (e entry) bound() int { return int(e >> 30 & 3) }

// depth returns the depth of the search.
func (e entry) depth() int { return int(e >> 32 & 0xff) }

// score returns the score.
func (e entry) score() int { return int(int32(e>>32)) >> 8 }

// newTable returns a table of at most the given bytes, but with at least 1,024 entries. It
// writes to every page, so that a search with a clock does not wait for page faults.
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

// lookup returns the entry of a node.
func (t *table) lookup(n node) (entry, bool) {
	s := &t.slots[n.hash()&t.mask]
	e := entry(s.data.Load())
	own, opp := mixed(n, e)
	return e, e.bound() != 0 && e.stamp() == n.stamp() && s.own.Load() == own && s.opp.Load() == opp
}

// store replaces the entry in the node's slot.
func (t *table) store(n node, e entry) {
	s := &t.slots[n.hash()&t.mask]
	own, opp := mixed(n, e)
	s.own.Store(own)
	s.opp.Store(opp)
	s.data.Store(uint64(e))
}

// mixed returns the words stored with the data of a node's entry. Each depends on own, opp
// and the data, so that words of two entries do not form a third.
func mixed(n node, e entry) (own, opp uint64) {
	d := uint64(e) * 0x9E3779B97F4A7C15
	return n.own ^ d ^ bits.RotateLeft64(n.opp*0xD6E8FEB86659FD93, 17), n.opp ^ bits.RotateLeft64(d+n.own*0xC2B2AE3D27D4EB4F, 32)
}
