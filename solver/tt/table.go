// Package tt provides transposition tables that threads share without locks. An entry of a [Table]
// (Circuit Wars) has 64 bits of the key and 52 bits of data in two words. An entry of a [Compact]
// (Dots and Boxes) has 45 bits of the key and the bounds of a small value in one word.
package tt

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Table is a transposition table of fixed size. A bucket has four entries of two words:
//
//	word 0: the upper half of the key, xor word 1
//	word 1: bits 63..56 work (see Work), at least 1
//	        bits 55..52 the number of the search that stored the entry, modulo 16
//	        bits 51..0  data
//
// Because of the xor, an entry whose words come from two writers matches no key, with high
// probability. The key's lower half only selects the bucket, so a probe finds the entry of another
// position with probability 4 / 2^64.
//
// In a full bucket the entry with the least work is replaced. For this comparison the nodes of an
// entry are halved for every search after its own.
type Table struct {
	words  []uint64
	shift  uint
	search uint64 // shifted as in word 1
	used   atomic.Int64
}

const (
	DataBits   = 52 // number of bits of an entry's data
	dataMask   = 1<<DataBits - 1
	searchMask = 15 << DataBits
	workShift  = 56

	workOfHalf = 4 // Work is smaller by this for half the nodes

	bucketEntries = 4
	bucketWords   = 2 * bucketEntries
)

// New returns a table of the largest power of two of buckets that fits into bytes, at least one.
func New(bytes int64) *Table {
	log := uint(bits.Len64(uint64(max(bytes/(8*bucketWords), 1))) - 1)
	t := &Table{shift: 64 - log}
	t.words = Make[uint64](t, bucketWords<<log)
	return t
}

// Clear empties the table. It must not be called during a search.
func (t *Table) Clear() {
	clear(t.words)
	t.used.Store(0)
}

// NextSearch begins another search. It must not be called during a search.
func (t *Table) NextSearch() { t.search = (t.search + 1<<DataBits) & searchMask }

// Use returns the filled share of the table, 0 to 1.
func (t *Table) Use() float64 { return float64(t.used.Load()) / float64(len(t.words)/2) }

func (t *Table) bucket(lo uint64) []uint64 {
	i := lo >> t.shift * bucketWords // a shift by 64 gives 0
	return t.words[i : i+bucketWords : i+bucketWords]
}

// Touch makes the processor fetch the bucket of the keys with lower half lo.
func (t *Table) Touch(lo uint64) { atomic.LoadUint64(&t.bucket(lo)[0]) }

// Get returns the entry of a key; work is 0 if there is none.
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

// Put stores data of at most DataBits bits in the entry of the same key, or replaces the least
// valuable entry of the bucket. work is a result of [Work].
func (t *Table) Put(hi, lo, data uint64, work uint8) {
	b := t.bucket(lo)
	at, least, old := 0, math.MaxInt, uint64(0) // old is word 1 of the entry to be replaced
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

// worth returns the work of the entry with word 1 w, reduced for every search after its own. An
// empty entry has the least worth.
func (t *Table) worth(w uint64) int {
	if w == 0 {
		return math.MinInt
	}
	searches := (t.search - w&searchMask) & searchMask >> DataBits
	return int(w>>workShift) - workOfHalf*int(searches)
}

// Work returns about 1 + 4 log2(nodes), from 1 to 254.
func Work(nodes uint64) uint8 {
	log := bits.Len64(nodes | 1)
	frac := uint64(0)
	if log > 2 {
		frac = nodes >> (log - 3) & 3
	}
	return uint8(min(1+4*(log-1)+int(frac), 254))
}

// Nodes returns approximately the number of nodes passed to Work, 0 for 0.
func Nodes(work uint8) uint64 {
	if work == 0 {
		return 0
	}
	log, frac := uint(work-1)/4, uint64(work-1)%4
	return (4 + frac) << log >> 2
}
