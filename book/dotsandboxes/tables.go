package dotsandboxes

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

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
	if err != nil || h.Kind != store.Sparse || h.KeyBits != exact.ClassKeyBits || h.Solver != classSolver {
		t.Close()
		return nil, fmt.Errorf("%s: %w: its layout is not the one this program writes: delete the table and solve it again", t.Path(), store.ErrForeign)
	}
	return &classTable{b, t}, nil
}

// value is the exact value of any position for its mover; known is false where
// the table has no class for it.
func (t *classTable) value(c *exact.Classes, b *grid.Board, free grid.Set) (v int, known bool, err error) {
	closure := exact.Close(b, free)
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

// openTables are the strong solutions in a store. A table that cannot
// be used is reported to the log once and left out. It is safe for concurrent
// use.
type openTables struct {
	log *slog.Logger

	mu     sync.Mutex
	tables []*classTable  // in use, the largest first
	open   []*store.Table // all that were opened, those left out later included
	pools  map[*grid.Board]*sync.Pool
}

// newTables opens the tables in a store directory, which need not
// exist.
func newTables(dir string, log *slog.Logger) *openTables {
	t := &openTables{log: log, pools: map[*grid.Board]*sync.Pool{}}
	if dir == "" {
		return t
	}
	paths, err := store.Named(dir, dotsandboxes.Name+"-board-")
	if err != nil {
		book.LeaveOut(log, err)
		return t
	}
	for _, path := range paths {
		c, err := openClassTable(dir, filepath.Base(path))
		if err != nil {
			book.LeaveOut(log, err)
			continue
		}
		t.tables, t.open = append(t.tables, c), append(t.open, c.table)
	}
	slices.SortStableFunc(t.tables, func(a, b *classTable) int { return b.board.Segments() - a.board.Segments() })
	return t
}

// Close closes the tables. None may be in use.
func (t *openTables) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, o := range t.open {
		errs = append(errs, o.Close())
	}
	t.tables, t.open = nil, nil
	return errors.Join(errs...)
}

// current is the tables in use, and the pool of class finders for a board.
func (t *openTables) current(b *grid.Board) ([]*classTable, *sync.Pool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pool := t.pools[b]
	if pool == nil {
		pool = &sync.Pool{New: func() any { return exact.NewClasses(b) }}
		t.pools[b] = pool
	}
	return t.tables, pool
}

// value is the exact value of a position for its mover, and the name of the
// table that knows it; ok is false where none does.
func (t *openTables) value(b *grid.Board, free grid.Set) (v int, table string, ok bool) {
	tables, pool := t.current(b)
	if len(tables) == 0 || free.Len() > tables[0].board.Segments() {
		return 0, "", false
	}
	c := pool.Get().(*exact.Classes)
	defer pool.Put(c)
	for _, tab := range tables {
		v, ok, err := tab.value(c, b, free)
		if err != nil {
			t.drop(tab, err)
			continue
		}
		if ok {
			return v, tab.table.Header().Name, true
		}
	}
	return 0, "", false
}

// drop stops using a table that turned out to be damaged. It stays open until
// Close, because others may be reading.
func (t *openTables) drop(tab *classTable, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.tables, tab); i >= 0 {
		t.tables = slices.Delete(slices.Clone(t.tables), i, i+1)
		book.LeaveOut(t.log, err)
	}
}

// know is what the tables know of a position.
func (t *openTables) know(c engine.Canonical) (v int, table string, ok bool) {
	p, ok := c.(dotsandboxes.Position)
	if !ok {
		return 0, "", false
	}
	return t.value(p.Board(), p.Free())
}
