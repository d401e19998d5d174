package coins

import (
	"math/bits"
	"runtime"
	"sync/atomic"
)

// Table is a transposition table of fixed size that any number of threads
// share without locks: an entry is one word, read and written whole.
//
//	bits 63..19  upper 45 bits of Key.lo
//	bits 18..14  log2 of the expansions below, what replacement goes by
//	bits 13..7   lower bound of the value + 64
//	bits  6..0   upper bound of the value + 64
//
// Eight entries make a bucket, one cache line, which Key.hi chooses: with 2^24
// buckets (1 GB) an entry stands for 69 bits of key. In a full bucket the
// entry with the least work behind it gives way.
type Table struct {
	entries []uint64
	shift   uint
}

const (
	bucketEntries = 8
	tagMask       = 1<<64 - 1<<19
	boundBias     = 64
)

// NewTable returns a table of at most size bytes, rounded down to a power of
// two, at least one kilobyte.
func NewTable(size int64) *Table {
	n := bits.Len64(uint64(max(size, 1<<10))) - 1
	t := &Table{shift: uint(64 - (n - 6))}
	var release func()
	t.entries, release = words(1 << (n - 3))
	if release != nil {
		runtime.AddCleanup(t, func(f func()) { f() }, release)
	}
	return t
}

// Size is the table's size in bytes.
func (t *Table) Size() int64 { return int64(len(t.entries)) * 8 }

// Clear forgets everything.
func (t *Table) Clear() { clear(t.entries) }

// Warm touches every page of the table, so that a search under a clock does
// not wait for the system to find the memory. It may run beside searches.
func (t *Table) Warm() {
	const page = 4096 / 8
	for i := 0; i < len(t.entries); i += page {
		atomic.CompareAndSwapUint64(&t.entries[i], 0, 0)
	}
}

// Used estimates the share of entries in use from a sample of buckets.
func (t *Table) Used() float64 {
	n := min(len(t.entries), 1<<14)
	used := 0
	for i := range n {
		if atomic.LoadUint64(&t.entries[i]) != 0 {
			used++
		}
	}
	return float64(used) / float64(n)
}

// probe gives the bounds that are known, lo and hi unchanged where none are.
func (t *Table) probe(k Key, lo, hi int) (int, int) {
	base := k.hi >> t.shift * bucketEntries
	bucket := t.entries[base : base+bucketEntries : base+bucketEntries]
	tag := k.lo & tagMask
	for i := range bucket {
		if e := atomic.LoadUint64(&bucket[i]); e&tagMask == tag && e != 0 {
			return max(lo, int(e>>7&127)-boundBias), min(hi, int(e&127)-boundBias)
		}
	}
	return lo, hi
}

// store writes bounds down; those of an entry that is there already must have
// been merged by the caller. work counts expansions.
func (t *Table) store(k Key, lo, hi int, work uint64) {
	base := k.hi >> t.shift * bucketEntries
	bucket := t.entries[base : base+bucketEntries : base+bucketEntries]
	tag := k.lo & tagMask
	w := uint64(bits.Len64(work))
	victim, least := 0, ^uint64(0)
	for i := range bucket {
		e := atomic.LoadUint64(&bucket[i])
		if e == 0 || e&tagMask == tag {
			if e != 0 {
				w = max(w, e>>14&31)
				// another thread may have proved more in the meantime
				lo = max(lo, int(e>>7&127)-boundBias)
				hi = min(hi, int(e&127)-boundBias)
			}
			victim = i
			break
		}
		if v := e >> 14 & 31; v < least {
			victim, least = i, v
		}
	}
	atomic.StoreUint64(&bucket[victim], tag|min(w, 31)<<14|uint64(lo+boundBias)<<7|uint64(hi+boundBias))
}
