package tt

import "sync/atomic"

// Marks shows the threads of a search which positions other threads are searching. A thread
// postpones a move whose position another thread searches, and later finds its result in
// the table (a simple form of ABDADA, Weill 1996). A mark counts the threads at a position.
// It is only a hint: positions may share a mark, and a wrong one costs time but changes no
// value.
type Marks struct {
	slots [1 << 12]atomic.Int32
}

// At returns the mark of the position with the given hash.
func (m *Marks) At(hash uint64) *atomic.Int32 { return &m.slots[hash%uint64(len(m.slots))] }
