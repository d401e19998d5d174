package book

import (
	"fmt"
	"io"

	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/exact"
)

// CircuitWars opens the sources of Circuit Wars: opening book, solved tables,
// the exact solver, the mirror guarantee, live search.
func CircuitWars(o Options) (*Lookup, error) {
	live := &searchSource{tableBytes: max(o.HashBytes/4, 1<<20)}
	tables := openCircuitWarsTables(o.Store, o.logger())
	return withOpening(&Lookup{closers: []io.Closer{tables}, Sources: []Source{
		tableSource{tables.know},
		&solveSource{threads: o.Threads, live: live, solver: exact.New(exact.Options{
			Threads:   o.Threads,
			HashBytes: o.HashBytes,
			TypeBytes: o.HashBytes * 3 / 4,
		})},
		mirrorSource{live},
		live,
	}, Instant: instantSource{}, Theorems: circuitWarsTheorems}, o, circuitwars.Game{}), nil
}

// circuitWarsPosition is the question's position with its own type.
func circuitWarsPosition(q *Question) (circuitwars.Position, error) {
	p, ok := q.Position.(circuitwars.Position)
	if !ok {
		return p, fmt.Errorf("a position of %s where one of Circuit Wars is expected", q.Position.Game())
	}
	return p, nil
}
