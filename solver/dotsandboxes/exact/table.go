package exact

import (
	"math/bits"
	"runtime"
	"sync/atomic"
)

// table is a transposition table of fixed size that any number of threads
// share without locks: an entry is one word, read and written whole.
//
//	bits 63..19  upper 45 bits of Key.lo
//	bits 18..14  log2 of the expansions below, what replacement goes by
//	bits 13..7   lower bound of the value + 64
//	bits  6..0   upper bound of the value + 64
//
// Eight entries make a bucket, one cache line, which Key.hi chooses. In a full
// bucket the entry with the least work behind it gives way.
//
// Keys are not kept whole, so an entry may be taken for another position's: in
// a full table with a chance of 8 in 2^45 a look. A search takes some four
// looks a position that it expands, so that of a thousand searches of a billion
// positions each one meets such an entry. What is proved is proved up to that.
type table struct {
	entries []uint64
	shift   uint
}

const (
	bucketEntries = 8
	tagMask       = 1<<64 - 1<<19
	boundBias     = 64
)

// newTable returns a table of at most size bytes, rounded down to a power of
// two, at least one kilobyte.
func newTable(size int64) *table {
	n := bits.Len64(uint64(max(size, 1<<10))) - 1
	t := &table{shift: uint(64 - (n - 6))}
	var release func()
	t.entries, release = words(1 << (n - 3))
	if release != nil {
		runtime.AddCleanup(t, func(f func()) { f() }, release)
	}
	return t
}

// warm touches every page.
func (t *table) warm() {
	const page = 4096 / 8
	for i := 0; i < len(t.entries); i += page {
		atomic.CompareAndSwapUint64(&t.entries[i], 0, 0)
	}
}

// probe gives the bounds that are known, lo and hi unchanged where none are.
func (t *table) probe(k Key, lo, hi int) (int, int) {
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
func (t *table) store(k Key, lo, hi int, work uint64) {
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
