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

// openTables are the tables of a store: tables of boards and the largest table of endings. A table is
// opened when a position that it may contain is first looked up.
type openTables struct {
	*book.TableSet
	dir string

	endings func() *book.OpenTable[*endingsTable] // the largest, nil if there is none

	mu     sync.Mutex
	boards map[*grid.Board]*book.OpenTable[*boardTable]
}

func newTables(dir string, log *slog.Logger) *openTables {
	t := &openTables{TableSet: book.NewTableSet(log), dir: dir, boards: map[*grid.Board]*book.OpenTable[*boardTable]{}}
	t.endings = sync.OnceValue(t.largestEndings)
	return t
}

// board returns the table of a board, which it opens at the first call; nil if there is none.
func (t *openTables) board(b *grid.Board) *book.OpenTable[*boardTable] {
	if b.Segments() > tables.MaxBoardSegments || t.dir == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, ok := t.boards[b]
	if !ok {
		opened, err := openBoardTable(t.dir, b)
		tab = book.AddTable(t.TableSet, opened, err)
		t.boards[b] = tab
	}
	return tab
}

// largestEndings opens the tables of endings, and returns the largest that can be used.
func (t *openTables) largestEndings() (largest *book.OpenTable[*endingsTable]) {
	start := circuitwars.Name + "-endings-"
	best := 0
	for _, path := range t.Named(t.dir, start) {
		segments, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), start))
		if err != nil || segments <= best {
			continue
		}
		opened, err := openEndingsTable(t.dir, segments)
		if tab := book.AddTable(t.TableSet, opened, err); tab != nil {
			largest, best = tab, segments
		}
	}
	return largest
}

// value returns the exact value of a position for the side to move, and the name of the table that
// contains it. ok is false if no table does. A table that cannot be read is disabled.
func (t *openTables) value(c engine.Position) (value int, table string, ok bool) {
	p, ok := c.(circuitwars.Position)
	if !ok {
		return 0, "", false
	}
	b, free := p.Board(), p.Free()
	if tab := t.board(b); tab.Usable() {
		v, err := tab.Table.value(b, free)
		if err == nil {
			return v, tab.Table.Header().Name, true
		}
		tab.Disable(err)
	}
	if n := free.Len(); n <= tables.MaxEndingEdges {
		if tab := t.endings(); tab.Usable() && tab.Table.covers(b, n) {
			v, err := tab.Table.value(b, free)
			if err == nil {
				return v, tab.Table.Header().Name, true
			}
			tab.Disable(err)
		}
	}
	return 0, "", false
}
