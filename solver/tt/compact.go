package tt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync/atomic"
)

// Compact is a transposition table of fixed size for bounds from -64 to 63. Threads share it
// without locks: an entry is one word, read and written atomically.
//
//	bits 63..19  upper 45 bits of the key's lower half
//	bits 18..14  bit length of the number of nodes searched for the bounds, at most 31
//	bits 13..7   lower bound of the value + 64
//	bits  6..0   upper bound of the value + 64
//
// Eight entries form a bucket, which is one cache line. The upper half of a key selects the bucket.
// In a full bucket, a new entry replaces the one with the fewest nodes. A probe of a full table
// finds the entry of another position with probability 8 / 2^45, to which all proofs are subject.
type Compact struct {
	entries []uint64
}

const (
	compactEntries = 8             // per bucket
	tagMask        = 1<<64 - 1<<19 // the bits of the key
	boundBias      = 64            // added to a bound
)

// NewCompact returns an empty table of size bytes, rounded down to whole buckets, at least 1 KiB.
func NewCompact(size int64) *Compact {
	t := new(Compact)
	t.entries = Make[uint64](t, int(max(size, 1<<10)/8)/compactEntries*compactEntries)
	return t
}

// Len returns the capacity in entries.
func (t *Compact) Len() int { return len(t.entries) }

// Warm makes the system provide the memory of all entries. It may run during searches.
func (t *Compact) Warm() {
	const page = 4096 / 8
	for i := 0; i < len(t.entries); i += page {
		atomic.CompareAndSwapUint64(&t.entries[i], 0, 0)
	}
}

func (t *Compact) bucket(hi uint64) []uint64 {
	i, _ := bits.Mul64(hi, uint64(len(t.entries)/compactEntries))
	i *= compactEntries
	return t.entries[i : i+compactEntries : i+compactEntries]
}

// Touch makes the processor fetch the bucket of the keys with upper half hi.
func (t *Compact) Touch(hi uint64) { atomic.LoadUint64(&t.bucket(hi)[0]) }

// Probe returns the bounds lower and upper, tightened by the bounds stored for the key, if any.
func (t *Compact) Probe(hi, lo uint64, lower, upper int) (newLower, newUpper int) {
	bucket := t.bucket(hi)
	tag := lo & tagMask
	for i := range bucket {
		if e := atomic.LoadUint64(&bucket[i]); e&tagMask == tag && e != 0 {
			return max(lower, int(e>>7&127)-boundBias), min(upper, int(e&127)-boundBias)
		}
	}
	return lower, upper
}

// Store stores bounds, from -64 to 63, tightened by the bounds of an entry with the same key. nodes
// is the number of nodes searched for them; the largest number so far is stored.
func (t *Compact) Store(hi, lo uint64, lower, upper int, nodes uint64) {
	bucket := t.bucket(hi)
	tag := lo & tagMask
	work := uint64(bits.Len64(nodes))
	victim, least := 0, ^uint64(0)
	for i := range bucket {
		e := atomic.LoadUint64(&bucket[i])
		if e == 0 || e&tagMask == tag {
			if e != 0 {
				work = max(work, e>>14&31)
				lower = max(lower, int(e>>7&127)-boundBias)
				upper = min(upper, int(e&127)-boundBias)
			}
			victim = i
			break // an empty entry is followed by empty ones
		}
		if v := e >> 14 & 31; v < least {
			victim, least = i, v
		}
	}
	atomic.StoreUint64(&bucket[victim], tag|min(work, 31)<<14|uint64(lower+boundBias)<<7|uint64(upper+boundBias))
}

const chunk = 1 << 13 // entries written and read together

// Save writes all entries, little-endian, eight bytes each. No search may use the table meanwhile.
func (t *Compact) Save(w io.Writer) error {
	buf := make([]byte, 0, 8*chunk)
	for rest := t.entries; len(rest) > 0; rest = rest[min(chunk, len(rest)):] {
		buf = buf[:0]
		for _, e := range rest[:min(chunk, len(rest))] {
			buf = binary.LittleEndian.AppendUint64(buf, e)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Load reads the output of Save into an empty table. It returns an error if the saved table has
// another size or r fails; the table is then empty. No search may use the table meanwhile.
func (t *Compact) Load(r io.Reader) (err error) {
	defer func() {
		if err != nil {
			clear(t.entries)
		}
	}()
	buf := make([]byte, 8*chunk)
	for rest := t.entries; len(rest) > 0; {
		n := min(chunk, len(rest))
		switch _, err := io.ReadFull(r, buf[:8*n]); {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("the saved table is smaller or incomplete: %w", err)
		case err != nil:
			return err
		}
		for i := range n {
			rest[i] = binary.LittleEndian.Uint64(buf[8*i:])
		}
		rest = rest[n:]
	}
	// A reader with a checksum reports a mismatch only at its end.
	if n, err := r.Read(buf); n > 0 {
		return errors.New("the saved table is larger")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
