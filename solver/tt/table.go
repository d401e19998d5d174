// Package tt is the transposition tables of the solvers and what belongs to
// them: the marks by which threads see what others are at, and memory in huge
// pages.
//
// There are two layouts. Table (Circuit Wars) has two words an entry:
// 64 bits of the key, and 52 bits that are the search's own. Compact (Dots and Boxes)
// has one, for bounds of small values alone, and so twice the entries in the same
// memory. Both are read and written without locks, and of a full bucket both give up
// the entry with the least work behind it, which in Table counts for less with every
// search since.
//
// The live searches keep layouts of their own, which take their memory from
// here. They replace by other rules, on purpose, and their node counts are part
// of their fingerprints: Watch Your Back has the whole position for a key and
// always replaces, Circuit Wars goes by depth, in 16 bytes and one look at each
// node.
package tt

import (
	"math/bits"
	"sync/atomic"
)

// Table is a transposition table of fixed size that any number of threads
// share without locks: buckets of four entries, each two words,
//
//	word 0: the key's upper half, xor word 1
//	word 1: bits 63..56 work, at least 1
//	        bits 55..52 the search that stored it, modulo 16
//	        bits 51..0  data
//
// so that an entry torn by two writers matches no key. The key's lower half only
// chooses the bucket: an entry is taken for another position's with a chance of
// 4 in 2^64 a look.
//
// Of a full bucket the entry with the least work goes, where each search since
// counts like half the nodes: what was found on the way to positions that can't
// come again makes room after a while, though not at once for single nodes.
type Table struct {
	words  []uint64
	shift  uint
	search uint64 // that is running, where entries have it
	used   atomic.Int64
}

const (
	// DataBits is the width of an entry's data.
	DataBits = 52

	dataMask   = 1<<DataBits - 1
	searchMask = 15 << DataBits
	workShift  = 56

	halved = 4 // in Work, half the nodes

	bucketEntries = 4
	bucketWords   = 2 * bucketEntries
)

// New makes a table of at most so many bytes: the largest power of two of
// buckets that fits, one at least.
func New(bytes int64) *Table {
	log := uint(bits.Len64(uint64(max(bytes/(8*bucketWords), 1))) - 1)
	t := &Table{shift: 64 - log}
	t.words = Make[uint64](t, bucketWords<<log)
	return t
}

// Clear empties the table. No search may run.
func (t *Table) Clear() {
	clear(t.words)
	t.used.Store(0)
}

// NextSearch says that another question begins: what is in the table counts
// for less from now on. No search may run.
func (t *Table) NextSearch() { t.search = (t.search + 1<<DataBits) & searchMask }

// Use is the filled share of the table, 0 to 1.
func (t *Table) Use() float64 { return float64(t.used.Load()) / float64(len(t.words)/2) }

func (t *Table) bucket(lo uint64) []uint64 {
	i := lo >> t.shift * bucketWords // a shift by 64 gives 0
	return t.words[i : i+bucketWords : i+bucketWords]
}

// Touch has the processor fetch what Get of a key will look at. It is a read like any
// other, so that several in a row overlap.
func (t *Table) Touch(lo uint64) { atomic.LoadUint64(&t.bucket(lo)[0]) }

// Get finds the entry of a key. Work is 0 only where there is none.
func (t *Table) Get(hi, lo uint64) (data uint64, work uint8) {
	b := t.bucket(lo)
	for i := 0; i < bucketWords; i += 2 {
		w := atomic.LoadUint64(&b[i+1])
		if atomic.LoadUint64(&b[i])^w == hi && w != 0 {
			return w & dataMask, uint8(w >> workShift)
		}
	}
	return 0, 0
}

// Put stores data of at most DataBits bits over the entry of the same key, or
// else over the one that counts least. Work is that of Work and at least 1.
func (t *Table) Put(hi, lo, data uint64, work uint8) {
	b := t.bucket(lo)
	at, least, old := 0, 256, uint64(0)
	for i := 0; i < bucketWords; i += 2 {
		w := atomic.LoadUint64(&b[i+1])
		if atomic.LoadUint64(&b[i])^w == hi && w != 0 {
			at, old = i, w
			break
		}
		if v := t.worth(w); v < least {
			at, least, old = i, v, w
		}
	}
	if old == 0 {
		t.used.Add(1)
	}
	word := data | t.search | uint64(work)<<workShift
	atomic.StoreUint64(&b[at], hi^word)
	atomic.StoreUint64(&b[at+1], word)
}

// worth is what an entry counts against others of its bucket.
func (t *Table) worth(w uint64) int {
	if w == 0 {
		return -256
	}
	searches := (t.search - w&searchMask) & searchMask >> DataBits
	return int(w>>workShift) - halved*int(searches)
}

// Work is 1 + 4 log2 of a number of nodes, at most 254.
func Work(nodes uint64) uint8 {
	log := bits.Len64(nodes | 1)
	frac := uint64(0)
	if log > 2 {
		frac = nodes >> (log - 3) & 3
	}
	return uint8(min(1+4*(log-1)+int(frac), 254))
}

// Nodes is about the number of nodes that Work was given.
func Nodes(work uint8) uint64 {
	if work == 0 {
		return 0
	}
	log, frac := uint(work-1)/4, uint64(work-1)%4
	return (4 + frac) << log >> 2
}
