package tables

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	wyb "endwise/engine/watchyourback"
)

// Blocks gives the blocks of a packed table, for instance a stored one. It
// must be safe for concurrent use; the bytes are not changed and may be kept.
type Blocks interface {
	Block(i uint64) ([]byte, error)
}

// Table answers for the positions of the 6x6 stage with one number of pieces.
// Decoded blocks stay in memory up to a limit, so that the next probe of the
// same block takes no more than finding its rank. It is safe for concurrent
// use.
type Table struct {
	layout   Layout
	profiles []Profile
	source   Blocks
	decoded  []atomic.Pointer[block]

	mu    sync.Mutex
	kept  []uint64 // numbers of the decoded blocks, a ring
	next  int      // the oldest in the ring
	limit int
}

// OpenTable reads the dictionary of a table of pieces pieces. At most keep
// positions stay decoded in memory, some one to two bytes each; 0 means all
// that were asked for.
func OpenTable(pieces int, source Blocks, keep uint64) (*Table, error) {
	l := LayoutOf(pieces)
	t := &Table{layout: l, source: source, decoded: make([]atomic.Pointer[block], l.positionBlocks())}
	t.limit = len(t.decoded)
	if keep > 0 {
		t.limit = int(min(uint64(t.limit), max(1, keep/BlockPositions)))
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

// Pieces is the number of pieces of the table's positions.
func (t *Table) Pieces() int { return t.layout.Pieces }

// profile finds the profile of a position that the layout holds.
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

// load decodes a block and keeps it, in place of the oldest one when the
// limit is reached.
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
	if was := t.decoded[n].Load(); was != nil {
		return was, nil
	}
	if len(t.kept) < t.limit {
		t.kept = append(t.kept, n)
	} else {
		t.decoded[t.kept[t.next]].Store(nil)
		t.kept[t.next] = n
		t.next = (t.next + 1) % t.limit
	}
	t.decoded[n].Store(b)
	return b, nil
}

// Tables is everything that is known of the last two boards: the 4x4 stage
// and 6x6 tables by number of pieces. It is safe for concurrent use.
type Tables struct {
	Final  *Final
	middle [MaxTablePieces + 1]*Table
}

// Add puts a 6x6 table in; not to be called while others probe.
func (t *Tables) Add(m *Table) { t.middle[m.Pieces()] = m }

// Has reports whether the 6x6 table of so many pieces is there.
func (t *Tables) Has(pieces int) bool {
	return pieces >= 0 && pieces < len(t.middle) && t.middle[pieces] != nil
}

// Middle returns the value on the 6x6 board, 1, 0 or -1 for the side to move,
// with turns (1..64) left to the second shrink. ok is false if the position
// is in no table. Both sides must stand on playable squares and nobody may be
// surrounded, as after every turn of a game.
func (t *Tables) Middle(own, opp uint64, turns int) (value int, ok bool, err error) {
	a, b := bits.OnesCount64(own), bits.OnesCount64(opp)
	if a < 2 || b < 2 || a+b > MaxTablePieces || t.middle[a+b] == nil || turns < 1 || turns > Planes {
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

// Probe returns the value of a position of the moving phase, 1, 0 or -1 for
// the side to move, and on the 4x4 board the distance in turns to the end of a
// win or a loss. Unless the game is strict, the limit of quiet turns counts. ok
// is false if no table covers the position or the game is over.
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
