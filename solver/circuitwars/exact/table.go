package exact

import (
	"math/bits"
	"sync/atomic"

	"endwise/solver/circuitwars/canon"
)

// table is the transposition table: buckets of four entries, each two words,
//
//	word 0: the key's upper half, xor word 1
//	word 1: bits 0..7 lower bound, 8..15 upper bound (both signed),
//	        16..31 the move that raised the lower bound, 32..39 work
//
// so that an entry torn by two writers matches no key. The key's lower half only
// chooses the bucket: an entry is taken for another position's with a chance of
// 4 in 2^64 a look. Work is a logarithm of
// the nodes behind the entry; of a full bucket the entry with the least work
// goes. An empty entry has work 0, a stored one at least 1.
type table struct {
	words []uint64
	shift uint
	used  atomic.Int64
}

const (
	bucketEntries = 4
	bucketWords   = 2 * bucketEntries
	bucketBytes   = 8 * bucketWords
)

// bound is what the table knows of one position.
type bound struct {
	lower, upper int8
	move         uint16
	work         uint8
}

// newTable makes a table of at most the given bytes: the largest power of two
// of buckets that fits, one at least.
func newTable(bytes int64) *table {
	n := uint64(max(bytes/bucketBytes, 1))
	log := uint(bits.Len64(n) - 1)
	return &table{words: make([]uint64, bucketWords<<log), shift: 64 - log}
}

func (t *table) clear() {
	clear(t.words)
	t.used.Store(0)
}

func (t *table) bucket(k canon.Key) []uint64 {
	i := k.Lo >> t.shift * bucketWords // a shift by 64 gives 0
	return t.words[i : i+bucketWords : i+bucketWords]
}

func unpack(w uint64) bound {
	return bound{lower: int8(w), upper: int8(w >> 8), move: uint16(w >> 16), work: uint8(w >> 32)}
}

func (b bound) pack() uint64 {
	return uint64(uint8(b.lower)) | uint64(uint8(b.upper))<<8 | uint64(b.move)<<16 | uint64(b.work)<<32
}

// get finds the bounds of a key.
func (t *table) get(k canon.Key) (bound, bool) {
	w, ok := t.getWord(k)
	return unpack(w), ok
}

// getWord finds the entry of a key.
func (t *table) getWord(k canon.Key) (uint64, bool) {
	b := t.bucket(k)
	for i := 0; i < bucketWords; i += 2 {
		w := atomic.LoadUint64(&b[i+1])
		if atomic.LoadUint64(&b[i])^w == k.Hi && w != 0 {
			return w, true
		}
	}
	return 0, false
}

// put stores bounds over the entry of the same key, or else over the one with
// the least work.
func (t *table) put(k canon.Key, e bound) { t.putWord(k, e.pack()) }

func (t *table) putWord(k canon.Key, word uint64) {
	b := t.bucket(k)
	at, least, old := 0, uint8(255), uint64(0)
	for i := 0; i < bucketWords; i += 2 {
		w := atomic.LoadUint64(&b[i+1])
		if atomic.LoadUint64(&b[i])^w == k.Hi && w != 0 {
			at, old = i, w
			break
		}
		if work := uint8(w >> 32); work < least {
			at, least, old = i, work, w
		}
	}
	if old == 0 {
		t.used.Add(1)
	}
	atomic.StoreUint64(&b[at], k.Hi^word)
	atomic.StoreUint64(&b[at+1], word)
}

// entries is how many entries the table has room for.
func (t *table) entries() int64 { return int64(len(t.words) / 2) }

// nodesOf is about the number of nodes that workOf was given.
func nodesOf(work uint8) uint64 {
	if work == 0 {
		return 0
	}
	log, frac := uint(work-1)/4, uint64(work-1)%4
	return (4 + frac) << log >> 2
}

// workOf is 1 + 4 log2 of a number of nodes, capped.
func workOf(nodes uint64) uint8 {
	log := bits.Len64(nodes | 1)
	frac := uint64(0)
	if log > 2 {
		frac = nodes >> (log - 3) & 3
	}
	return uint8(min(1+4*(log-1)+int(frac), 254))
}
