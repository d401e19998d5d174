package dotsandboxes

import (
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
	"endwise/solver/dotsandboxes/tables"
)

type boardTable struct {
	board *grid.Board
	store.Scores
}

func newBoardTable(b *grid.Board, t *store.Table) *boardTable {
	return &boardTable{b, store.Scores{Table: t, Offset: scoreOffset}}
}

func openBoardTable(dir, name string) (*boardTable, error) {
	var b *grid.Board // of the table; fits sets it
	fits := func(h *store.Header) bool {
		var err error
		b, err = grid.Parse(h.Params["board"])
		return err == nil && h.Kind == store.Sparse && h.KeyBits == tables.KeyBits && h.Solver == tableSolverVersion
	}
	t, err := store.Open(store.Dir(dir, name),
		store.Options{Game: dotsandboxes.Name, Rules: dotsandboxes.RulesVersion, Fits: fits})
	return newBoardTable(b, t), err
}

// value returns the exact value of a position of any board b for the side to move; f must be a finder
// of b. known is false if the table does not contain the canonical position.
func (t *boardTable) value(f *tables.Finder, b *grid.Board, free grid.Set) (v int, known bool, err error) {
	closure := exact.Close(b, free)
	k, ok, err := f.Key(closure.Rest)
	if err != nil {
		return 0, false, err
	}
	rest := 0
	if ok {
		var found bool
		if rest, found, err = t.Score(store.Key(k)); !found || err != nil {
			return 0, false, err
		}
	}
	return closure.Value(rest), true, nil
}

type openTables struct {
	*book.TableSet
	tables []*book.OpenTable[*boardTable] // the largest first

	mu     sync.Mutex
	board  *grid.Board // of finder
	finder *tables.Finder
}

func newTables(dir string, log *slog.Logger) *openTables {
	t := &openTables{TableSet: book.NewTableSet(log)}
	for _, path := range t.Named(dir, dotsandboxes.Name+"-board-") {
		opened, err := openBoardTable(dir, filepath.Base(path))
		if tab := book.AddTable(t.TableSet, opened, err); tab != nil {
			t.tables = append(t.tables, tab)
		}
	}
	slices.SortStableFunc(t.tables, func(a, b *book.OpenTable[*boardTable]) int {
		return b.Table.board.Segments() - a.Table.board.Segments()
	})
	return t
}

// value returns the exact value of a position for the side to move. table is the name of the table that
// contains it, with a remark if this is the table of another board.
func (t *openTables) value(c engine.Position) (v int, table string, ok bool) {
	p, ok := c.(dotsandboxes.Position)
	if !ok || len(t.tables) == 0 || p.Free().Len() > t.tables[0].Table.board.Segments() {
		return 0, "", false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.board != p.Board() {
		t.board, t.finder = p.Board(), tables.NewFinder(p.Board())
	}
	for _, tab := range t.tables {
		if !tab.Usable() {
			continue
		}
		v, ok, err := tab.Table.value(t.finder, t.board, p.Free())
		if err != nil {
			tab.Disable(err)
			continue
		}
		if ok {
			name := tab.Table.Header().Name
			if tableName(tab.Table.board) != tableName(t.board) {
				name += ", by an equivalent position"
			}
			return v, name, true
		}
	}
	return 0, "", false
}
