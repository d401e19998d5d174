package watchyourback

import (
	"fmt"
	"math/bits"
	"sync"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/tables"
)

// finalTable returns the table of the 4x4 board, which is computed on first use.
var finalTable = sync.OnceValue(tables.NewFinal)

// openTable opens the table of the given number of pieces in the store dir, and its [tables.Table].
func openTable(dir string, pieces int) (*store.Table, *tables.Table, error) {
	t, err := store.Open(store.Dir(dir, tableName(pieces)), store.Options{
		Game: watchyourback.Name, Rules: watchyourback.Game{}.RulesVersion(),
		CacheBytes: -1, // tables.Table caches decoded blocks
		Fits: func(h *store.Header) bool {
			return h.Kind == store.Dense && h.Bits == 0 && h.Blocks == tables.LayoutOf(pieces).Blocks()
		},
	})
	if err != nil {
		return nil, nil, err
	}
	if err := Game().CheckVersion(t.Path(), t.Header()); err != nil {
		t.Close()
		return nil, nil, err
	}
	table, err := tables.OpenTable(pieces, t, keepPositions)
	if err != nil {
		t.Close()
		return nil, nil, fmt.Errorf("%s: %w", t.Path(), err)
	}
	return t, table, nil
}

type openTables struct {
	*book.TableSet
	*tables.Tables
	stored [tables.MaxTablePieces + 1]*book.OpenTable[*store.Table] // by pieces
}

// Probe returns the value of a position like [tables.Tables.Probe]. If reading a table fails, ok is
// false, and the table is not used again.
func (t *openTables) Probe(p watchyourback.Position) (value, distance int, ok bool) {
	own, opp := p.OwnOpp()
	n := bits.OnesCount64(own | opp)
	stored := p.Stage() == watchyourback.Middle && t.Has(n)
	if stored && !t.stored[n].Usable() {
		return 0, 0, false
	}
	value, distance, ok, err := t.Tables.Probe(p)
	if err != nil && stored {
		t.stored[n].Disable(err)
	}
	return value, distance, ok && err == nil
}

const keepPositions = 128 << 20

// newTables opens the 6x6 tables of the store, from 4 pieces up to the first one that is missing or
// cannot be used. A table is only useful with all smaller ones, because captures lead to them.
func newTables(o book.Options) *openTables {
	t := &openTables{TableSet: book.NewTableSet(o.Logger()), Tables: &tables.Tables{Final: finalTable()}}
	for n := 4; o.Store != "" && n <= tables.MaxTablePieces; n++ {
		s, m, err := openTable(o.Store, n)
		if t.stored[n] = book.AddTable(t.TableSet, s, err); t.stored[n] == nil {
			break
		}
		t.Add(m)
	}
	return t
}

// TablePieces returns the pieces of the 6x6 table that contains p; ok is false if none can be solved.
func TablePieces(p engine.Position) (pieces int, ok bool) {
	w, err := engine.As[watchyourback.Position](p)
	if err != nil || w.Phase() != watchyourback.Moving || w.Stage() != watchyourback.Middle || w.Over() {
		return 0, false
	}
	own, opp := w.OwnOpp()
	pieces = bits.OnesCount64(own | opp)
	return pieces, pieces <= tables.MaxTablePieces
}

type oracle struct{ *openTables }

func (o oracle) Final(own, opp uint64) (value, distance int, ok bool) {
	return o.Tables.Final.Probe(own, opp)
}

// Middle returns false if the table is missing or cannot be read.
func (o oracle) Middle(own, opp uint64, turns int) (int, bool) {
	n := bits.OnesCount64(own | opp)
	if !o.Has(n) || !o.stored[n].Usable() {
		return 0, false
	}
	v, ok, err := o.Tables.Middle(own, opp, turns)
	if err != nil {
		o.stored[n].Disable(err)
		return 0, false
	}
	return v, ok
}
