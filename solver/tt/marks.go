package tt

import "sync/atomic"

// Marks counts for each position the threads that are searching it (a simple form of ABDADA, Weill
// 1996). Several positions may share a mark. A wrong mark costs time but does not change values.
type Marks struct {
	slots [1 << 12]atomic.Int32
}

// At returns the mark of the position with the given hash.
func (m *Marks) At(hash uint64) *atomic.Int32 { return &m.slots[hash%uint64(len(m.slots))] }
