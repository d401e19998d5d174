// Package tables solves boards of Dots and Boxes completely. A strong solution of a
// board gives the value of every R-type position that can arise on it, and by T1 of
// every position (package exact has the theorems). Positions are kept by class
// (T7), so the number of entries is far below that of line sets: 39,348 on
// 3x3. Each class is expanded once, with all moves of T2 and without the
// dominance of T4, so that every class that play can reach is met; its value
// is the best of its moves' exact values.
//
// The table in memory holds one word a class. While a solve runs, each class
// is also told to a journal as soon as its value is known; a solve that was
// stopped takes its journal up again and goes on from there. The set of
// classes and values does not depend on threads, order or interruptions.
//
// The threads share the table, and that is why a strong solution is not spread
// over machines. Measured on 3x4 (3.7 million classes): a class takes 6.4 µs of
// one core, and has 16 moves. Cut into jobs by the number of free lines, the
// classes would have to be found from the top before they are valued from the
// bottom, which expands each twice. A job of 20,000 classes finds 10.8
// different ones for each of its own, 150 bytes of key and line set that the
// owner of the table must take and look up: 23 MB a second from each core that
// works for it. 23 % of the moves skip at least one layer, and 2.6 % of the
// classes are met in two, so that valuing a layer takes all the layers below in
// the memory of every worker, and memory is what bounds the boards anyway. What
// there is to gain is 4x4, about an hour of one core.
package tables

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// KeyBits of exact.Key are what a class is known by, the first 64 from Hi. With
// 370 million classes the chance of two with the same key is 1 in 70,000;
// nothing would tell: the second would take the value of the first.
const KeyBits = 72

// Key is the key of a class as kept in tables: 72 bits, left-aligned.
type Key struct{ Hi, Lo uint64 }

func of(k exact.Key) Key { return Key{k.Hi, k.Lo &^ (1<<56 - 1)} }

// Table is an open-addressing table of classes and values, for several
// threads without locks. Slot i holds a class whose key begins with the bits
// of a slot at most 511 before i:
//
//	bits 63..15  the 49 key bits after those of the home slot
//	bits 14..6   distance from the home slot
//	bits  5..0   value + 32; 0 only in an empty slot
type Table struct {
	slots []uint64
	home  uint // key bits that name the home slot
	count atomic.Uint64
}

const (
	restBits    = 49
	maxDistance = 511
	// minHome makes home and rest together hold KeyBits.
	minHome = KeyBits - restBits
)

// NewTable returns a table for at most classes classes; see
// TableBytes.
func NewTable(classes uint64) *Table {
	home := homeBits(classes)
	t := &Table{home: home}
	t.slots = make([]uint64, 1<<home+maxDistance+1)
	return t
}

// homeBits sizes a table so that at most seven slots of ten are taken: the
// longest distance grows fast with the load, to some 300 at 0.7.
func homeBits(classes uint64) uint {
	home := uint(minHome)
	for uint64(1)<<home*7/10 < classes {
		home++
	}
	return home
}

// TableBytes is the memory that a table for so many classes takes.
func TableBytes(classes uint64) uint64 { return 8 << homeBits(classes) }

// Len is the number of classes in the table.
func (t *Table) Len() uint64 { return t.count.Load() }

// full says that more slots are taken than the table is good for.
func (t *Table) full() bool { return t.count.Load() > uint64(1)<<t.home/4*3 }

func (t *Table) split(k Key) (home, rest uint64) {
	home = k.Hi >> (64 - t.home)
	rest = (k.Hi<<t.home | k.Lo>>(64-t.home)) >> (64 - restBits)
	return home, rest << 15
}

// Get finds the value of a class.
func (t *Table) Get(k Key) (v int, ok bool) {
	home, rest := t.split(k)
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

// Put adds a class; added is false when it was there already, and room is
// false when there is none for it.
func (t *Table) Put(k Key, v int) (added, room bool) {
	home, rest := t.split(k)
	for d := uint64(0); d <= maxDistance; {
		e := atomic.LoadUint64(&t.slots[home+d])
		if e == 0 {
			if !atomic.CompareAndSwapUint64(&t.slots[home+d], 0, rest|d<<6|uint64(v+32)) {
				continue // somebody else took the slot: look at it again
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

// Range gives the classes whose keys begin with part part of parts equal
// parts, a power of two at most 2^16, in no order within the part.
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
		rest := e >> 15
		k := Key{Hi: home<<(64-t.home) | rest<<(64-restBits)>>t.home}
		if over := t.home + restBits; over > 64 {
			k.Lo = rest << (128 - over)
		}
		k.Lo &^= 1<<56 - 1
		f(k, int(e&63)-32)
	}
}

// Solve is a strong solution in progress.
type Solve struct {
	Board   *grid.Board
	Table   *Table
	Threads int
	// Journal is told of each class, from several goroutines; an error ends the
	// solve. It hears of a class before the table has it, and so before the
	// classes that were valued with it: what is kept of a journal up to any
	// place is a part to go on from. It may hear twice of a class that two
	// threads are at.
	Journal func(k Key, v int) error

	stop atomic.Bool
	mu   sync.Mutex
	err  error
}

// Run solves the board. The error is the context's, the journal's, or
// exact.ErrTooLarge where the board has more than exact.MaxEdges lines or the table is
// full.
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
			p, _ := exact.NewPositions(c.Board, c.Board.All()) // as above
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

func (c *Solve) fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.stop.Store(true)
}

// worker is one thread of a strong solution; backwards threads try moves
// from the last, so that threads meet as late as possible.
type worker struct {
	c         *Solve
	p         *exact.Positions
	backwards bool
}

// value is the value of an R-type position; nonsense after a stop.
func (w *worker) value(depth int, mask uint64) int {
	if mask == 0 {
		return 0
	}
	key, _ := w.p.Take(depth, mask)
	k := of(key)
	if v, ok := w.c.Table.Get(k); ok {
		return v
	}
	if w.c.stop.Load() {
		return 0
	}
	moves := w.p.Every(depth, mask)
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
	if _, there := w.c.Table.Get(k); there {
		return best // found below as well: T5 takes pairs out of a key, not out of play
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

// Finder finds the class keys of positions of one board. It is not safe for
// concurrent use.
type Finder struct {
	board *grid.Board
	p     *exact.Positions // of the whole board, nil where that is too large
}

// NewFinder returns the class finder of a board.
func NewFinder(b *grid.Board) *Finder {
	f := &Finder{board: b}
	if b.Segments() <= exact.MaxEdges {
		f.p, _ = exact.NewPositions(b, b.All()) // its one error is the size
	}
	return f
}

// Key is the class of an R-type position. It wraps exact.ErrTooLarge. The empty
// position, worth 0, has no class: ok is false.
func (f *Finder) Key(rest grid.Set) (k Key, ok bool, err error) {
	p := f.p
	if p == nil {
		if p, err = exact.NewPositions(f.board, rest); err != nil {
			return Key{}, false, err
		}
	}
	key, _ := p.Take(0, p.Mask(rest))
	return of(key), key != exact.Key{}, nil
}
