package tables

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	wyb "endwise/engine/watchyourback"
)

// Blocks provides the blocks of a table (layout.go).
type Blocks interface {
	// Block returns block i. It must be safe for concurrent use, and the bytes must not change.
	Block(i uint64) ([]byte, error)
}

// Table contains the values for a number of pieces on the 6x6 board. It is safe for concurrent use.
type Table struct {
	layout   Layout
	profiles []Profile
	source   Blocks
	decoded  []atomic.Pointer[block] // by block number

	mu    sync.Mutex
	ring  []uint64 // numbers of the cached blocks
	next  int      // index in ring of the oldest block, if ring is full
	limit int
}

// OpenTable returns the table for a number of pieces. cached is the maximum number of positions in
// cached blocks, of one or two bytes each; 0 means no limit. At least one block is cached.
// OpenTable returns an error if the dictionary cannot be read or is damaged.
func OpenTable(pieces int, source Blocks, cached uint64) (*Table, error) {
	l := LayoutOf(pieces)
	t := &Table{layout: l, source: source, decoded: make([]atomic.Pointer[block], l.positionBlocks())}
	t.limit = len(t.decoded)
	if cached > 0 {
		t.limit = int(min(uint64(t.limit), max(1, cached/BlockPositions)))
	}
	var data []byte
	for i := l.positionBlocks(); i < l.Blocks(); i++ {
		b, err := source.Block(i)
		if err != nil {
			return nil, fmt.Errorf("dictionary: %w", err)
		}
		data = append(data, b...)
	}
	var err error
	if t.profiles, err = decodeDictionary(data); err != nil {
		return nil, err
	}
	return t, nil
}

// profile returns the profile of a position, as in rankOf. The error is that of load.
func (t *Table) profile(own, opp uint32) (Profile, error) {
	r := t.layout.rankOf(own, opp)
	n := r / BlockPositions
	b := t.decoded[n].Load()
	if b == nil {
		var err error
		if b, err = t.load(n); err != nil {
			return Profile{}, err
		}
	}
	return t.profiles[b.ids[b.index(int(r%BlockPositions))]], nil
}

// load reads, decodes and caches block n. If the cache is full, the oldest block is removed.
func (t *Table) load(n uint64) (*block, error) {
	payload, err := t.source.Block(n)
	if err != nil {
		return nil, err
	}
	positions := min(BlockPositions, t.layout.positions-n*BlockPositions)
	b, err := decodeBlock(payload, int(positions), len(t.profiles))
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", n, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if cached := t.decoded[n].Load(); cached != nil {
		return cached, nil
	}
	if len(t.ring) < t.limit {
		t.ring = append(t.ring, n)
	} else {
		t.decoded[t.ring[t.next]].Store(nil)
		t.ring[t.next] = n
		t.next = (t.next + 1) % t.limit
	}
	t.decoded[n].Store(b)
	return b, nil
}

// Tables contains a Final and Tables by number of pieces. Except Add, it is safe for concurrent use.
type Tables struct {
	Final  *Final
	middle [MaxTablePieces + 1]*Table // by number of pieces
}

// Add adds a 6x6 table.
func (t *Tables) Add(m *Table) { t.middle[m.layout.Pieces] = m }

// Has reports whether the 6x6 table for a number of pieces has been added.
func (t *Tables) Has(pieces int) bool {
	return pieces >= 0 && pieces < len(t.middle) && t.middle[pieces] != nil
}

// Middle returns the value of a position on the 6x6 board for the side to move, 1, 0 or -1, with
// turns (1..64) left before the second shrink. ok is false if no table contains the position. No
// piece may be surrounded. Errors are those of reading the table.
func (t *Tables) Middle(own, opp uint64, turns int) (value int, ok bool, err error) {
	a, b := bits.OnesCount64(own), bits.OnesCount64(opp)
	if a < 2 || b < 2 || !t.Has(a+b) || turns < 1 || turns > Layers {
		return 0, false, nil
	}
	if (own|opp)&^wyb.Playable(wyb.Middle) != 0 || own&opp != 0 {
		return 0, false, nil
	}
	p, err := t.middle[a+b].profile(Squeeze(own), Squeeze(opp))
	if err != nil {
		return 0, false, err
	}
	return p.Value(turns), true, nil
}

// Probe returns the value of a position for the side to move, 1, 0 or -1. On the 4x4 board it also
// returns the distance of a win or loss, otherwise 0. The limit of quiet turns applies unless
// [wyb.Position.Strict]. ok is false if no table contains the position, or if the game is over.
func (t *Tables) Probe(p wyb.Position) (value, distance int, ok bool, err error) {
	if p.Phase() != wyb.Moving || p.Over() {
		return 0, 0, false, nil
	}
	own, opp := p.OwnOpp()
	switch stage := p.Stage(); {
	case stage == wyb.Middle:
		value, ok, err = t.Middle(own, opp, p.ToShrink())
	case stage == wyb.Final && p.Strict():
		value, distance, ok = t.Final.Probe(own, opp)
	case stage == wyb.Final:
		value, distance, ok = t.Final.Within(own, opp, wyb.QuietLimit-p.Quiet())
	}
	return value, distance, ok, err
}
