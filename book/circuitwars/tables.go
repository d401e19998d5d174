package circuitwars

import (
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/tables"
)

// openTables are the solved tables of a store: those of whole boards, opened
// when a position of the board is asked for, and the largest one of endings.
type openTables struct {
	*book.TableSet
	dir string

	mu      sync.Mutex
	boards  map[*grid.Board]*book.Kept[*boardTable]
	looked  bool // for endings
	endings *book.Kept[*endingsTable]
}

// newTables gives access to the tables in a store directory, which need not
// exist.
func newTables(dir string, log *slog.Logger) *openTables {
	return &openTables{TableSet: book.NewTableSet(log), dir: dir, boards: map[*grid.Board]*book.Kept[*boardTable]{}}
}

// board is the table of a board, nil if there is none.
func (t *openTables) board(b *grid.Board) *book.Kept[*boardTable] {
	if b.Segments() > tables.MaxBoardSegments || t.dir == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, ok := t.boards[b]
	if !ok {
		opened, err := openBoardTable(t.dir, b)
		tab = book.Keep(t.TableSet, opened, err)
		t.boards[b] = tab
	}
	return tab
}

// endingsFor is the largest table of endings, nil if there is none.
func (t *openTables) endingsFor() *book.Kept[*endingsTable] {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.looked {
		return t.endings
	}
	t.looked = true
	start := circuitwars.Name + "-endings-"
	best := 0
	for _, path := range t.Named(t.dir, start) {
		segments, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), start))
		if err != nil || segments <= best {
			continue
		}
		opened, err := openEndingsTable(t.dir, segments)
		if tab := book.Keep(t.TableSet, opened, err); tab != nil {
			t.endings, best = tab, segments
		}
	}
	return t.endings
}

// value is the exact value of a position for the mover, given the board and
// its free segments in normal form (none inside a closed area), and the name
// of the table that knows it. ok is false where no table does.
func (t *openTables) value(b *grid.Board, free grid.Set) (value int, table string, ok bool) {
	if tab := t.board(b); tab.Usable() {
		v, err := tab.Table.value(b, free)
		if err == nil {
			return v, tab.Table.Header().Name, true
		}
		tab.LeaveOut(err)
	}
	if n := free.Len(); n <= tables.MaxEndingEdges {
		if tab := t.endingsFor(); tab.Usable() && tab.Table.covers(b, n) {
			v, err := tab.Table.value(b.Graph(free))
			if err == nil {
				return v, tab.Table.Header().Name, true
			}
			tab.LeaveOut(err)
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
