package exact

import "sync/atomic"

// marks lets workers of one solve see what the others are at, so that they
// take different moves of a node (a lighter form of ABDADA, Weill 1996: moves
// under search elsewhere are put off, and the table carries the results). A
// mark is only a hint: a lost or false one costs time and changes no value.
type marks struct {
	slots [markSlots]atomic.Uint64
}

const (
	markSlots = 1 << 12
	// markEdges is the least number of free lines that a position is marked
	// with; below, the work is over before it is noticed.
	markEdges = 12
	// busy is the result of a search that another worker is at.
	busy = 1 << 20
)

func newMarks() *marks { return new(marks) }

func markWord(k Key, t int) uint64 { return k.hi ^ uint64(t+128)<<1 | 1 }

// set marks a search, and says whether another worker is at it already. The
// slot is -1 where the mark belongs to somebody else.
func (m *marks) set(k Key, t int) (slot int, taken bool) {
	word := markWord(k, t)
	i := int(word >> 20 % markSlots)
	switch m.slots[i].Load() {
	case word:
		return -1, true
	case 0:
		if m.slots[i].CompareAndSwap(0, word) {
			return i, false
		}
	}
	return -1, false
}

// clear takes a mark of the caller's away.
func (m *marks) clear(slot int, k Key, t int) {
	m.slots[slot].CompareAndSwap(markWord(k, t), 0)
}
