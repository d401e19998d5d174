package tt

import "sync/atomic"

// Marks let the threads of one search see what the others are at, so that they
// divide the moves of a position: one that is under search elsewhere is put off,
// and the table carries its result (ABDADA, Weill 1996, in a lighter form). A
// mark counts the threads at a position. It is only a hint: positions may share
// one, and a lost or a false one costs time and changes no value.
type Marks struct {
	slots [1 << 12]atomic.Int32
}

// At is the mark of a position, by a hash of it.
func (m *Marks) At(hash uint64) *atomic.Int32 { return &m.slots[hash%uint64(len(m.slots))] }
