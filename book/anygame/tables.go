package anygame

import (
	"log/slog"
	"path/filepath"

	"endwise/book"
	"endwise/book/solving"
	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/negamax"
)

// positionTable is a board's table opened for reading.
type positionTable struct {
	solving.Scores
	game  engine.CanonicalGame
	board string
}

func newPositionTable(t *store.Table, g engine.CanonicalGame) *positionTable {
	return &positionTable{solving.Scores{Table: t, Offset: positionOffset}, g, t.Header().Params["board"]}
}

func openPositions(path string, g engine.CanonicalGame) (*positionTable, error) {
	t, err := solving.OpenTable(path, store.Options{Game: g.Name(), Rules: g.RulesVersion()}, func(h *store.Header) bool {
		return h.Kind == store.Sparse && h.KeyBits == positionKeyBits && h.ValueBits == positionValueBits && h.Solver == positionsSolver &&
			filepath.Base(path) == positionsName(g, h.Params["board"])
	})
	if err != nil {
		return nil, err
	}
	return newPositionTable(t, g), nil
}

// value is the exact value of a position for its mover; known is false where
// the table has no such position.
func (t *positionTable) value(p engine.Canonical) (v int, known bool, err error) {
	if p.Over() {
		return 0, true, nil
	}
	return t.Score(tableKey(negamax.KeyOf(p)))
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
