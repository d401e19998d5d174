package watchyourback

import (
	"fmt"
	"math/bits"
	"sync"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/tables"
)

// finalTable is the table of the 4x4 board, worked out when it is first needed.
var finalTable = sync.OnceValue(tables.NewFinal)

// openTable opens the table of so many pieces, and what reads its positions.
func openTable(dir string, pieces int) (*store.Table, *tables.Table, error) {
	t, err := store.Open(store.Dir(dir, tableName(pieces)), store.Options{
		Game: watchyourback.Name, Rules: watchyourback.Game{}.RulesVersion(),
		CacheBytes: -1, // decoded blocks are kept by tables.Table
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

// openTables is everything solved that the store holds.
type openTables struct {
	*book.TableSet
	*tables.Tables
	stored [tables.MaxTablePieces + 1]*book.OpenTable[*store.Table] // by pieces
}

// Probe is tables.Tables.Probe; what a damaged table holds is unknown.
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

// keepPositions bounds the decoded positions of one table in memory, some two
// bytes each.
const keepPositions = 128 << 20

// newTables opens the 6x6 tables of the store from 4 pieces up to the first that
// is missing: a position's captures lead to all smaller ones.
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

// oracle lends the tables to the search.
type oracle struct{ *openTables }

// Final implements search.Oracle.
func (o oracle) Final(own, opp uint64) (value, distance int, ok bool) {
	return o.Tables.Final.Probe(own, opp)
}

// Middle implements search.Oracle. A damaged block counts as unknown.
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
