package anygame

import (
	"fmt"
	"path/filepath"
	"sync/atomic"

	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/negamax"
)

// positionTable is a board's table opened for reading.
type positionTable struct {
	*store.Table
	game  engine.CanonicalGame
	board string
	left  atomic.Bool // out, because it is damaged
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
