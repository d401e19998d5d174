// Package tables solves boards of Dots and Boxes completely. A strong solution of a board contains
// the value of every R-type position that can occur on it, and so, by theorem T1 of package exact,
// the value of every position. Positions with isomorphic contracted graphs share one entry (T7).
// [Solve] expands each position with all moves of T2 but without the dominance of T4, and so
// reaches every R-type position that play can reach.
//
// Positions and values do not depend on threads, order or interruptions.
package tables

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// KeyBits is the number of bits of [exact.Key] that identify a position, the first 64 from Hi. If
// two positions have the same bits, the second gets the value of the first.
const KeyBits = 72

// Key is the key of a position in tables: 72 bits, left-aligned.
type Key struct{ Hi, Lo uint64 }

func keyOf(k exact.Key) Key { return Key{k.Hi, k.Lo &^ (1<<56 - 1)} }

// Table is a lock-free open-addressing hash table. Slot i holds a position whose home slot, given
// by the first key bits, is i or one of the 511 before it:
//
//	bits 63..15  the 49 key bits after those of the home slot
//	bits 14..6   distance from the home slot
//	bits  5..0   value + 32; 0 only in an empty slot
type Table struct {
	slots []uint64
	home  uint // number of key bits that give the home slot
	count atomic.Uint64
}

const (
	restBits    = 49                 // number of stored key bits
	maxDistance = 511                // from the home slot
	minHome     = KeyBits - restBits // minimum number of home bits
)

// NewTable returns a table for at most the given number of positions.
func NewTable(positions uint64) *Table {
	home := homeBits(positions)
	t := &Table{home: home}
	t.slots = make([]uint64, 1<<home+maxDistance+1)
	return t
}

// homeBits returns the number of home bits with which the positions take at most 70 % of the slots.
func homeBits(positions uint64) uint {
	home := uint(minHome)
	for uint64(1)<<home*7/10 < positions {
		home++
	}
	return home
}

// TableBytes returns the approximate size of a table in bytes.
func TableBytes(positions uint64) uint64 { return 8 << homeBits(positions) }

// Len returns the number of positions.
func (t *Table) Len() uint64 { return t.count.Load() }

// full reports whether solving must stop, before Put has long searches for a slot.
func (t *Table) full() bool { return t.count.Load() > uint64(1)<<t.home/4*3 }

// place returns the home slot of a key and its other bits, as stored in bits 63..15.
func (t *Table) place(k Key) (home, rest uint64) {
	home = k.Hi >> (64 - t.home)
	rest = (k.Hi<<t.home | k.Lo>>(64-t.home)) >> (64 - restBits)
	return home, rest << 15
}

// key returns the key for which place returns home and rest.
func (t *Table) key(home, rest uint64) Key {
	return Key{Hi: home<<(64-t.home) | rest>>t.home, Lo: rest << (64 - t.home)}
}

// Get returns the value of a position; ok reports whether the table contains it.
func (t *Table) Get(k Key) (v int, ok bool) {
	home, rest := t.place(k)
	for d := uint64(0); d <= maxDistance; d++ {
		e := atomic.LoadUint64(&t.slots[home+d])
		if e == 0 {
			return 0, false
		}
		if e&^63 == rest|d<<6 {
			return int(e&63) - 32, true
		}
	}
	return 0, false
}

// Put adds a position with a value from -31 to 31. added is false if the table contains it already,
// with any value; room is false if there is no slot for it.
func (t *Table) Put(k Key, v int) (added, room bool) {
	home, rest := t.place(k)
	for d := uint64(0); d <= maxDistance; {
		e := atomic.LoadUint64(&t.slots[home+d])
		if e == 0 {
			if !atomic.CompareAndSwapUint64(&t.slots[home+d], 0, rest|d<<6|uint64(v+32)) {
				continue // check it again
			}
			t.count.Add(1)
			return true, true
		}
		if e&^63 == rest|d<<6 {
			return false, true
		}
		d++
	}
	return false, false
}

// Range divides the range of keys into parts equal intervals, a power of two up to 2^16, and calls f for each
// position in interval part, from 0 to parts-1, in any order. Put must not be called meanwhile.
func (t *Table) Range(part, parts int, f func(k Key, v int)) {
	width := uint64(1) << t.home / uint64(parts)
	first := uint64(part) * width
	for i := first; i < first+width+maxDistance; i++ {
		e := t.slots[i]
		if e == 0 {
			continue
		}
		home := i - e>>6&maxDistance
		if home < first || home >= first+width {
			continue
		}
		f(t.key(home, e&^(1<<15-1)), int(e&63)-32)
	}
}

// Solve computes the strong solution of a board.
type Solve struct {
	Board   *grid.Board
	Table   *Table // may contain the positions of a stopped solve
	Threads int    // 0 means one
	// Journal, if not nil, is called concurrently with each position before any position that
	// depends on it, so a solve can resume from any prefix of a journal. It may get a position
	// twice. An error ends the solve.
	Journal func(k Key, v int) error

	stop atomic.Bool
	mu   sync.Mutex
	err  error // the first error
}

// Run solves the board. The error is that of ctx or the journal, or wraps [exact.ErrTooLarge] if
// the board has too many lines or the table is full.
func (c *Solve) Run(ctx context.Context) error {
	if _, err := exact.NewPositions(c.Board, c.Board.All()); err != nil {
		return err
	}
	c.stop.Store(false)
	release := context.AfterFunc(ctx, func() { c.stop.Store(true) })
	defer release()
	var finished atomic.Bool
	var group sync.WaitGroup
	for i := range max(1, c.Threads) {
		group.Go(func() {
			p, _ := exact.NewPositions(c.Board, c.Board.All())
			w := &worker{c: c, p: p, backwards: i%2 == 1}
			w.value(0, 1<<c.Board.Segments()-1)
			if !c.stop.Load() {
				finished.Store(true)
				c.stop.Store(true)
			}
		})
	}
	group.Wait()
	if c.err != nil {
		return c.err
	}
	if !finished.Load() {
		return ctx.Err()
	}
	return nil
}

// fail stops the solve. The first error is the result of Run.
func (c *Solve) fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.stop.Store(true)
}

// worker is one thread of a solve. Each traverses the whole board except positions in the table.
type worker struct {
	c         *Solve
	p         *exact.Positions
	backwards bool
}

// value returns the value of an R-type position, and adds it and all positions below it to the
// table. The result has no meaning after a stop.
func (w *worker) value(depth int, mask uint64) int {
	if mask == 0 {
		return 0
	}
	key, _ := w.p.Decompose(depth, mask)
	k := keyOf(key)
	if v, ok := w.c.Table.Get(k); ok {
		return v
	}
	if w.c.stop.Load() {
		return 0
	}
	moves := w.p.AllMoves(depth, mask)
	best := math.MinInt
	for i := range moves {
		if w.backwards {
			i = len(moves) - 1 - i
		}
		m := moves[i]
		v := w.value(depth+1, m.Child)
		best = max(best, -int(m.Taken)-max(v, -int(m.Price)-v))
	}
	if w.c.stop.Load() {
		return 0
	}
	// A thread may have added the position; this one too, as keys omit pairs (T5) and moves do not.
	if _, ok := w.c.Table.Get(k); ok {
		return best
	}
	if w.c.Journal != nil {
		if err := w.c.Journal(k, best); err != nil {
			w.c.fail(err)
			return 0
		}
	}
	if _, room := w.c.Table.Put(k, best); !room || w.c.Table.full() {
		w.c.fail(exact.ErrTooLarge)
		return 0
	}
	return best
}

// Finder returns the keys of positions of one board. It is not safe for concurrent use.
type Finder struct {
	board *grid.Board
	p     *exact.Positions // of the whole board; nil if it has too many lines
}

// NewFinder returns a finder for a board of any size.
func NewFinder(b *grid.Board) *Finder {
	f := &Finder{board: b}
	if b.Segments() <= exact.MaxEdges {
		f.p, _ = exact.NewPositions(b, b.All()) // the only error is ErrTooLarge
	}
	return f
}

// Key returns the key of the R-type position with the free lines rest. ok is false if the position
// is empty or consists of pairs that cancel (T5): its value is 0. Errors wrap [exact.ErrTooLarge].
func (f *Finder) Key(rest grid.Set) (k Key, ok bool, err error) {
	p := f.p
	if p == nil {
		if p, err = exact.NewPositions(f.board, rest); err != nil {
			return Key{}, false, err
		}
	}
	key, _ := p.Decompose(0, p.Mask(rest))
	return keyOf(key), key != exact.Key{}, nil
}
