package circuitwars

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/tables"
)

// openTables are the solved tables of a store: those of whole boards,
// opened when a position of the board is asked for, and the largest one of
// endings. A table that cannot be used is reported to the log once and left
// out. It is safe for concurrent use.
type openTables struct {
	dir string
	log *slog.Logger

	mu      sync.Mutex
	boards  map[*grid.Board]*boardTable // nil entries: there is none
	looked  bool                        // for endings
	endings *endingsTable
	open    []*store.Table // all that were opened, those left out later included
}

// newTables gives access to the tables in a store directory, which
// need not exist.
func newTables(dir string, log *slog.Logger) *openTables {
	return &openTables{dir: dir, log: log, boards: map[*grid.Board]*boardTable{}}
}

// Close closes the tables. None may be in use.
func (t *openTables) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, o := range t.open {
		errs = append(errs, o.Close())
	}
	t.dir, t.open, t.boards, t.endings = "", nil, map[*grid.Board]*boardTable{}, nil
	return errors.Join(errs...)
}

// board is the table of a board, nil if there is none.
func (t *openTables) board(b *grid.Board) *boardTable {
	if b.Segments() > tables.MaxBoardSegments {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		return nil
	}
	tab, ok := t.boards[b]
	if !ok {
		var err error
		if tab, err = openBoardTable(t.dir, b); err != nil {
			book.LeaveOut(t.log, err)
			tab = nil
		} else {
			t.open = append(t.open, tab.table)
		}
		t.boards[b] = tab
	}
	return tab
}

// endingsFor is the largest table of endings, nil if there is none.
func (t *openTables) endingsFor() *endingsTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.looked || t.dir == "" {
		return t.endings
	}
	t.looked = true
	start := circuitwars.Name + "-endings-"
	paths, err := store.Named(t.dir, start)
	if err != nil {
		book.LeaveOut(t.log, err)
		return nil
	}
	best := 0
	for _, path := range paths {
		segments, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), start))
		if err != nil || segments <= best {
			continue
		}
		tab, err := openEndingsTable(t.dir, segments)
		if err != nil {
			book.LeaveOut(t.log, err)
			continue
		}
		t.open = append(t.open, tab.table)
		t.endings, best = tab, segments
	}
	return t.endings
}

// drop stops using a table that turned out to be damaged. It stays open until
// Close, because others may be reading.
func (t *openTables) drop(tab *store.Table, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	used := false
	for b, o := range t.boards {
		if o != nil && o.table == tab {
			t.boards[b], used = nil, true
		}
	}
	if t.endings != nil && t.endings.table == tab {
		t.endings, used = nil, true
	}
	if used { // nobody else has said so
		book.LeaveOut(t.log, err)
	}
}

// value is the exact value of a position for the mover, given the board and
// its free segments in normal form (none inside a closed area), and the name
// of the table that knows it. ok is false where no table does.
func (t *openTables) value(b *grid.Board, free grid.Set) (value int, table string, ok bool) {
	if tab := t.board(b); tab != nil {
		v, err := tab.value(b, free)
		if err == nil {
			return v, tab.table.Header().Name, true
		}
		t.drop(tab.table, err)
	}
	if n := free.Len(); n <= tables.MaxEndingEdges {
		if tab := t.endingsFor(); tab != nil && tab.covers(b, n) {
			v, err := tab.value(b.Graph(free))
			if err == nil {
				return v, tab.table.Header().Name, true
			}
			t.drop(tab.table, err)
		}
	}
	return 0, "", false
}

// know is what the tables know of a position.
func (t *openTables) know(c engine.Canonical) (value int, table string, ok bool) {
	p, ok := c.(circuitwars.Position)
	if !ok {
		return 0, "", false
	}
	return t.value(p.Board(), p.Free())
}
