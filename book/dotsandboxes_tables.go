package book

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/coins"
	"endwise/solver/farm"
)

// A strong solution of a board is a sparse table from the classes of its
// R-type positions (see package coins) to values. By T1 it gives the value of
// every position of the board; and because a class knows nothing of boards, of
// every position of any other board whose rest falls into one of its classes.

const (
	// classSolver changes when the table of a board would hold other bytes.
	classSolver = 1
	classShards = 64
	// classRecord is a journal's record: 72 bits of key and the value + 64.
	classRecord = coins.ClassKeyBits/8 + 1
	// maxClassLines bounds the boards that can be solved completely: beyond
	// 4x4 the classes no longer fit the memory of one machine.
	maxClassLines = 40
)

// knownClasses are the numbers of classes that solves have counted; 4x4 is an
// estimate.
var knownClasses = map[string]uint64{
	"1x1": 3, "1x2": 10, "2x2": 73, "2x3": 1_243, "2x4": 18_335, "3x3": 39_348,
	"2x5": 292_862, "3x4": 3_711_332, "2x6": 4_606_834, "4x4": 360_000_000,
}

// DotsAndBoxesEstimate is how many classes a board has, counted where a solve
// has been done and estimated elsewhere: about 1.8 times as many for each
// further line.
func DotsAndBoxesEstimate(b *grid.Board) uint64 {
	lying := b
	if b.Rows > b.Cols {
		if t, err := grid.New(b.Cols, b.Rows); err == nil {
			lying = t
		}
	}
	if n, ok := knownClasses[lying.String()]; ok {
		return n
	}
	return uint64(292_862 * math.Pow(1.8, float64(b.Segments()-27)))
}

// CanSolveDotsAndBoxesBoard says why a board cannot be solved completely, nil
// if it can.
func CanSolveDotsAndBoxesBoard(b *grid.Board) error {
	if n := b.Segments(); n > maxClassLines {
		return fmt.Errorf("board %s: has %d lines, a complete table is possible up to %d; --value works out the value of larger boards", b, n, maxClassLines)
	}
	return nil
}

func classTableName(b *grid.Board) string {
	return fmt.Sprintf("%s-board-%dx%d", dotsandboxes.Name, min(b.Rows, b.Cols), max(b.Rows, b.Cols))
}

// SolveDotsAndBoxesBoard works out the value of every position of a board and
// stores the table in the directory dir. Each class is journalled as soon as it
// is known, so that an interrupted run is resumed by calling it again. It
// returns an error that wraps store.ErrExists when the table is there, and the
// context's error when that ends.
func SolveDotsAndBoxesBoard(ctx context.Context, dir string, b *grid.Board, threads int, p *farm.Progress) (*store.Header, error) {
	if err := CanSolveDotsAndBoxesBoard(b); err != nil {
		return nil, err
	}
	b, err := grid.New(min(b.Rows, b.Cols), max(b.Rows, b.Cols))
	if err != nil {
		return nil, err
	}
	name := classTableName(b)
	builder, err := store.Create(dir, store.Spec{
		Name: name, Title: fmt.Sprintf("every position of the %s board", b),
		Game: dotsandboxes.Name, Rules: dotsandboxes.RulesVersion, Solver: classSolver,
		Params: map[string]string{"board": b.String()},
		Kind:   store.Sparse, KeyBits: coins.ClassKeyBits, ValueBits: 7, Shards: classShards,
	})
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if len(builder.Pending()) > 0 {
		if err := solveClasses(ctx, dir, name, b, builder, threads, p); err != nil {
			return nil, err
		}
	}
	p.Begin("store "+b.String(), "shards", 0, classShards)
	h, err := builder.Finish(ctx, store.FinishOptions{
		Progress: func(done, _ int) { p.Set(uint64(done)) },
		Verify: func(ctx context.Context, t *store.Table) (uint64, error) {
			p.Set(classShards)
			return verifyClasses(ctx, b, t, p)
		},
	})
	if err != nil {
		return nil, err
	}
	return h, os.Remove(journalPath(dir, name))
}

func journalPath(dir, name string) string { return store.Dir(dir, name) + ".journal" }

// solveClasses solves a board, or the rest of it, and writes the shards that
// are missing.
func solveClasses(ctx context.Context, dir, name string, b *grid.Board, builder *store.Builder, threads int, p *farm.Progress) error {
	room := DotsAndBoxesEstimate(b)
	for {
		table := coins.NewClassTable(room)
		err := fillClasses(ctx, journalPath(dir, name), b, table, room, threads, p)
		if err == nil {
			return storeClasses(ctx, b, table, builder, p)
		}
		if !errors.Is(err, coins.ErrTooLarge) {
			return err
		}
		// More classes than estimated: on with twice the room.
		room = 2 * max(room, table.Len())
		table = nil
		debug.FreeOSMemory()
	}
}

// fillClasses takes the journal up and solves what is not in it.
func fillClasses(ctx context.Context, path string, b *grid.Board, table *coins.ClassTable, room uint64, threads int, p *farm.Progress) (err error) {
	j, err := openJournal(path, fmt.Sprintf("endwise classes %s rules %d solver %d", b, dotsandboxes.RulesVersion, classSolver), classRecord,
		func(r []byte) error {
			k := coins.ClassKey{Hi: binary.BigEndian.Uint64(r), Lo: uint64(r[8]) << 56}
			if _, room := table.Put(k, int(r[9])-64); !room {
				return coins.ErrTooLarge
			}
			return nil
		})
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := j.close(); err == nil {
			err = closeErr
		}
	}()
	p.Begin("solve "+b.String(), "classes", table.Len(), max(room, table.Len()))
	p.Note("the total is an estimate where the board was never solved")
	stop := follow(func() { p.Set(table.Len()) })
	defer stop()
	s := coins.ClassSolve{Board: b, Table: table, Threads: threads, Journal: func(k coins.ClassKey, v int) error {
		var r [classRecord]byte
		binary.BigEndian.PutUint64(r[:], k.Hi)
		r[8], r[9] = byte(k.Lo>>56), byte(v+64)
		return j.add(r[:])
	}}
	return s.Run(ctx)
}

// follow calls f now and then until it is stopped, and a last time then.
func follow(f func()) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(200 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-quit:
				f()
				return
			case <-t.C:
				f()
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// storeClasses writes the shards, each the classes of a range of keys.
func storeClasses(ctx context.Context, b *grid.Board, table *coins.ClassTable, builder *store.Builder, p *farm.Progress) error {
	type entry struct {
		k coins.ClassKey
		v int
	}
	pending := builder.Pending()
	p.Begin("sort "+b.String(), "shards", uint64(classShards-len(pending)), classShards)
	for _, shard := range pending {
		if err := ctx.Err(); err != nil {
			return err
		}
		var entries []entry
		table.Range(shard, classShards, func(k coins.ClassKey, v int) { entries = append(entries, entry{k, v}) })
		slices.SortFunc(entries, func(a, b entry) int {
			if (store.Key(a.k)).Less(store.Key(b.k)) {
				return -1
			}
			return 1
		})
		w, err := builder.Shard(shard)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := w.Put(store.Key(e.k), uint32(e.v+64)); err != nil {
				w.Abort()
				return err
			}
			w.Count(e.v, 1)
		}
		if err := w.Finish(); err != nil {
			return err
		}
		p.Add(1)
	}
	return nil
}

// classTable is a board's table opened for reading.
type classTable struct {
	board *grid.Board
	table *store.Table
}

func openClassTable(dir, name string) (*classTable, error) {
	t, err := store.Open(store.Dir(dir, name), store.Options{Game: dotsandboxes.Name, Rules: dotsandboxes.RulesVersion})
	if err != nil {
		return nil, err
	}
	h := t.Header()
	b, err := grid.Parse(h.Params["board"])
	if err != nil || h.Kind != store.Sparse || h.KeyBits != coins.ClassKeyBits || h.Solver != classSolver {
		t.Close()
		return nil, fmt.Errorf("%s: %w: its layout is not the one this program writes: delete the table and solve it again", t.Path(), store.ErrForeign)
	}
	return &classTable{b, t}, nil
}

// value is the exact value of any position for its mover; known is false where
// the table has no class for it.
func (t *classTable) value(c *coins.Classes, b *grid.Board, free grid.Set) (v int, known bool, err error) {
	closure := coins.Close(b, free)
	k, ok, err := c.Key(closure.Rest)
	if err != nil {
		return 0, false, err
	}
	rest := 0
	if ok {
		code, found, err := t.table.Lookup(store.Key(k))
		if !found || err != nil {
			return 0, false, err
		}
		rest = int(code) - 64
	}
	return closure.Value(rest), true, nil
}

// How much of a table is verified: positions whose value must follow from
// those of their lines by the rules, and positions compared with plain
// minimax.
const (
	verifyClassSteps = 2000
	verifyClassPlain = 200
	plainLines       = 12
)

// verifyClasses compares a share of a table with values worked out by the
// rules of the game alone. Positions come from random play.
func verifyClasses(ctx context.Context, b *grid.Board, table *store.Table, p *farm.Progress) (checked uint64, err error) {
	t := &classTable{b, table}
	c := coins.NewClasses(b)
	r := rand.New(rand.NewPCG(20, 26))
	p.Begin("verify "+b.String(), "positions", 0, verifyClassSteps+verifyClassPlain)
	for i := range verifyClassSteps + verifyClassPlain {
		if err := ctx.Err(); err != nil {
			return checked, err
		}
		free := b.All()
		drawn := r.IntN(b.Segments() + 1)
		if i < verifyClassSteps {
			if i == 0 {
				drawn = 0
			}
		} else {
			drawn = max(drawn, b.Segments()-plainLines)
		}
		for _, s := range r.Perm(b.Segments())[:drawn] {
			free.Remove(s)
		}
		got, known, err := t.value(c, b, free)
		if err == nil && !known {
			err = fmt.Errorf("the class of %x is missing", free)
		}
		if err != nil {
			return checked, err
		}
		want := 0
		if i < verifyClassSteps {
			want, err = t.bestLine(c, b, free)
		} else {
			want = plainMinimax(b, free, map[grid.Set]int{})
		}
		if err != nil {
			return checked, err
		}
		if got != want {
			return checked, fmt.Errorf("position %x of %s: the table says %+d, the rules say %+d", free, b, got, want)
		}
		checked++
		p.Add(1)
	}
	return checked, nil
}

// completes counts the boxes that drawing a free line completes.
func completes(b *grid.Board, free grid.Set, s int) int {
	n := 0
	free.Remove(s)
	for _, q := range b.Sides(s) {
		if q == grid.Outside {
			continue
		}
		open := 0
		for _, l := range b.Around(q) {
			if free.Has(l) {
				open++
			}
		}
		if open == 0 {
			n++
		}
	}
	return n
}

// bestLine is the value of a position from the table's values after each line.
func (t *classTable) bestLine(c *coins.Classes, b *grid.Board, free grid.Set) (int, error) {
	best, first := 0, true
	for _, s := range free.Segments() {
		after := free
		after.Remove(s)
		v, known, err := t.value(c, b, after)
		if err == nil && !known {
			err = fmt.Errorf("the class of %x is missing", after)
		}
		if err != nil {
			return 0, err
		}
		if n := completes(b, free, s); n > 0 {
			v += n
		} else {
			v = -v
		}
		if first || v > best {
			best, first = v, false
		}
	}
	return best, nil
}

// plainMinimax is the value of a position by the rules alone.
func plainMinimax(b *grid.Board, free grid.Set, seen map[grid.Set]int) int {
	if v, ok := seen[free]; ok {
		return v
	}
	best, first := 0, true
	for _, s := range free.Segments() {
		after := free
		after.Remove(s)
		v := plainMinimax(b, after, seen)
		if n := completes(b, free, s); n > 0 {
			v += n
		} else {
			v = -v
		}
		if first || v > best {
			best, first = v, false
		}
	}
	seen[free] = best
	return best
}

// checkDotsAndBoxesTable is CheckTable for the tables of this game.
func checkDotsAndBoxesTable(ctx context.Context, dir string, h *store.Header, extent Extent, p *farm.Progress) (uint64, error) {
	t, err := openClassTable(dir, h.Name)
	if err != nil {
		return 0, err
	}
	defer t.table.Close()
	spread := map[int]uint64{}
	err = t.table.Each(ctx, func(_ store.Key, code uint32) error {
		spread[int(code)-64]++
		return nil
	})
	if err != nil {
		return 0, err
	}
	if err := sameSpread(t.table, spread); err != nil {
		return 0, err
	}
	if extent == Whole {
		return wholeClasses(ctx, t, p)
	}
	return verifyClasses(ctx, t.board, t.table, p)
}

// DotsAndBoxesTables are the strong solutions in a store. A table that cannot
// be used is reported to the log once and left out. It is safe for concurrent
// use.
type DotsAndBoxesTables struct {
	log *slog.Logger

	mu     sync.Mutex
	tables []*classTable // the largest first
	pools  map[*grid.Board]*sync.Pool
}

// OpenDotsAndBoxesTables opens the tables in a store directory, which need not
// exist.
func OpenDotsAndBoxesTables(dir string, log *slog.Logger) *DotsAndBoxesTables {
	t := &DotsAndBoxesTables{log: log, pools: map[*grid.Board]*sync.Pool{}}
	if dir == "" {
		return t
	}
	list, err := store.List(dir)
	if err != nil {
		t.leaveOut(err)
		return t
	}
	for _, l := range list {
		if l.Building || !strings.HasPrefix(l.Name, dotsandboxes.Name+"-board-") {
			continue
		}
		c, err := openClassTable(dir, l.Name)
		if err != nil {
			t.leaveOut(err)
			continue
		}
		t.tables = append(t.tables, c)
	}
	slices.SortStableFunc(t.tables, func(a, b *classTable) int { return b.board.Segments() - a.board.Segments() })
	return t
}

func (t *DotsAndBoxesTables) leaveOut(err error) {
	if !errors.Is(err, store.ErrMissing) {
		t.log.Warn("table left out", "error", err)
	}
}

// Close closes the tables. None may be in use.
func (t *DotsAndBoxesTables) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, c := range t.tables {
		errs = append(errs, c.table.Close())
	}
	t.tables = nil
	return errors.Join(errs...)
}

// current is the tables in use, and the pool of class finders for a board.
func (t *DotsAndBoxesTables) current(b *grid.Board) ([]*classTable, *sync.Pool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pool := t.pools[b]
	if pool == nil {
		pool = &sync.Pool{New: func() any { return coins.NewClasses(b) }}
		t.pools[b] = pool
	}
	return t.tables, pool
}

// Value is the exact value of a position for its mover, and the name of the
// table that knows it; ok is false where none does.
func (t *DotsAndBoxesTables) Value(b *grid.Board, free grid.Set) (v int, table string, ok bool) {
	tables, pool := t.current(b)
	if len(tables) == 0 || free.Len() > tables[0].board.Segments() {
		return 0, "", false
	}
	c := pool.Get().(*coins.Classes)
	defer pool.Put(c)
	for _, tab := range tables {
		v, ok, err := tab.value(c, b, free)
		if err != nil {
			t.leaveOut(err)
			t.mu.Lock()
			t.tables = slices.DeleteFunc(slices.Clone(t.tables), func(o *classTable) bool { return o == tab })
			t.mu.Unlock()
			continue
		}
		if ok {
			return v, tab.table.Header().Name, true
		}
	}
	return 0, "", false
}

// know is what the tables know of a position.
func (t *DotsAndBoxesTables) know(c engine.Canonical) (v int, table string, ok bool) {
	p, ok := c.(dotsandboxes.Position)
	if !ok {
		return 0, "", false
	}
	return t.Value(p.Board(), p.Free())
}

// DotsAndBoxesForecast is what a complete solve of a board will take, measured
// on a small board on this machine.
type DotsAndBoxesForecast struct {
	Classes uint64
	Memory  uint64 // bytes
	Journal uint64 // bytes on disk while it runs
	Table   uint64 // bytes on disk in the end
	Time    time.Duration
}

// ForecastDotsAndBoxes measures for a moment and says what a complete solve
// of a board will take.
func ForecastDotsAndBoxes(ctx context.Context, b *grid.Board, threads int) (DotsAndBoxesForecast, error) {
	f := DotsAndBoxesForecast{Classes: DotsAndBoxesEstimate(b)}
	f.Memory = coins.ClassTableBytes(f.Classes)
	f.Journal = f.Classes * (classRecord + 1)
	bitsEach := coins.ClassKeyBits - bits.Len64(f.Classes) + 2 + 7
	f.Table = f.Classes * uint64(bitsEach) / 8
	sample, err := grid.New(3, 3)
	if err != nil {
		return f, err
	}
	start := time.Now()
	s := coins.ClassSolve{Board: sample, Table: coins.NewClassTable(1 << 16), Threads: threads}
	if err := s.Run(ctx); err != nil {
		return f, err
	}
	// A class of a larger board has more lines to try, each with a longer key.
	each := float64(time.Since(start)) / float64(s.Table.Len())
	growth := math.Pow(float64(b.Segments())/float64(sample.Segments()), 1.5)
	f.Time = time.Duration(each * growth * float64(f.Classes))
	runtime.KeepAlive(s.Table)
	return f, nil
}
