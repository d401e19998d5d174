// Package circuitwars is what is kept and answered of Circuit Wars: boards and
// endings make tables, tables opens them and looks up, value works out what one
// board is worth, shippedproof is what ships of such a value's proof, mirror knows a
// theorem, solve and search find out what they can within the clock, whose shares
// time deals out; ponder thinks on the opponent's time, and refutation picks among lost
// moves.
package circuitwars

import (
	"io"

	"endwise/book"
	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/exact"
)

// Open opens the sources of Circuit Wars: the mirror theorem and a static evaluation,
// values of empty boards, the embedded proof, tables, proofs of opening books, the exact solver, estimates of
// opening books, heuristic search.
func Open(o book.Options) (*book.Lookup, error) {
	live := &searchSource{tableBytes: max(o.HashBytes/4, 1<<20)}
	tables := newTables(o.Store, o.Logger())
	solve := &solveSource{threads: o.Threads, live: live, solver: exact.New(exact.Options{
		Threads:    o.Threads,
		TableBytes: o.HashBytes,
		TypeBytes:  o.HashBytes * 3 / 4,
	})}
	return book.WithOpening(&book.Lookup{Closers: []io.Closer{tables}, Sources: []book.Source{
		book.EmptyBoards{Game: circuitwars.Game{}, Store: o.Store, Solved: solvedValue},
		embeddedSource{solve}, book.TableSource{Know: tables.know}, solve, live,
	}, Heuristic: heuristicSource{}}, o, circuitwars.Game{}), nil
}
