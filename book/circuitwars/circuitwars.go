// Package circuitwars provides tables and lookup for Circuit Wars.
//
// [Open] returns the [book.Lookup] of the game, and [Game] its [book.Game].
//
// The sources of the lookup are the mirror theorem with a static evaluation (mirror.go), the embedded
// proof (embeddedproof.go), tables (tables.go), the exact solver (solve.go) and heuristic search
// (search.go). time.go divides the time for a move among them. refutation.go chooses between losing
// moves, and ponder.go solves during the opponent's turn.
//
// [SolveBoard] computes the table of all positions of a board (boards.go), and [SolveEndings] the table
// of all positions with few free segments on boards up to 7x7 (endings.go). boards_jobs.go and
// endings_jobs.go divide the computation into jobs for a [farm.Farm], and verify.go checks the tables.
// [SolveValue] computes the value of an empty board without a table (value.go).
package circuitwars

import (
	"io"

	"endwise/book"
	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/exact"
)

// Open returns a lookup with all sources of Circuit Wars, in the order listed in package book.
func Open(o book.Options) (*book.Lookup, error) {
	search := &searchSource{tableBytes: max(o.HashBytes/4, 1<<20)}
	tables := newTables(o.Store, o.Logger())
	solve := &solveSource{threads: o.Threads, search: search, solver: exact.New(exact.Options{
		Threads:    o.Threads,
		TableBytes: o.HashBytes,
		TypeBytes:  o.HashBytes * 3 / 4,
	})}
	return book.WithOpening(&book.Lookup{Closers: []io.Closer{tables}, Sources: []book.Source{
		book.EmptyBoards{Game: circuitwars.Game{}, Store: o.Store, Solved: solvedValue},
		embeddedSource{solve}, book.TableSource{Value: tables.value}, solve, search,
	}, Heuristic: heuristicSource{}}, o, circuitwars.Game{}), nil
}
