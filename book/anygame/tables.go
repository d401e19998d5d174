package anygame

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/negamax"
)

// positionTable is a board's table opened for reading.
type positionTable struct {
	*store.Table
	game  engine.CanonicalGame
	board string
}

func openPositions(path string, g engine.CanonicalGame) (*positionTable, error) {
	t, err := store.Open(path, store.Options{Game: g.Name(), Rules: g.RulesVersion()})
	if err != nil {
		return nil, err
	}
	h := t.Header()
	if h.Kind != store.Sparse || h.KeyBits != positionKeyBits || h.ValueBits != positionValueBits || h.Solver != positionsSolver || filepath.Base(path) != positionsName(g, h.Params["board"]) {
		t.Close()
		return nil, fmt.Errorf("%s: %w: its layout is not the one this program writes: delete the table and solve it again", t.Path(), store.ErrForeign)
	}
	return &positionTable{Table: t, game: g, board: h.Params["board"]}, nil
}

// value is the exact value of a position for its mover; known is false where
// the table has no such position.
func (t *positionTable) value(p engine.Canonical) (v int, known bool, err error) {
	if p.Over() {
		return 0, true, nil
	}
	code, known, err := t.Lookup(tableKey(negamax.KeyOf(p)))
	return int(code) - positionOffset, known, err
}

// positionTables are the tables of all positions of a board that a store has.
type positionTables struct {
	*book.TableSet
	list []*book.Kept[*positionTable]
}

func openPositionTables(dir string, g engine.CanonicalGame, log *slog.Logger) *positionTables {
	t := &positionTables{TableSet: book.NewTableSet(log)}
	for _, path := range t.Named(dir, positionsName(g, "")) {
		opened, err := openPositions(path, g)
		if table := book.Keep(t.TableSet, opened, err); table != nil {
			t.list = append(t.list, table)
		}
	}
	return t
}

// know gives the value of a position.
func (t *positionTables) know(c engine.Canonical) (value int, name string, ok bool) {
	for _, table := range t.list {
		if table.Table.board != c.BoardName() || !table.Usable() {
			continue
		}
		v, known, err := table.Table.value(c)
		if err == nil {
			return v, table.Table.Header().Name, known
		}
		table.LeaveOut(err)
	}
	return 0, "", false
}
