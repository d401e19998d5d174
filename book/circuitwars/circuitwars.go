// Package circuitwars provides tables and lookup for Circuit Wars.
//
// [Open] returns the game's [book.Lookup] and [Game] its entry in a program's list of
// games.
//
// The sources are the mirror theorem and the static evaluation (mirror.go), the embedded
// proof (embeddedproof.go), tables (tables.go), the exact solver (solve.go) and heuristic
// search (search.go). time.go divides a move's time among them. refutation.go chooses
// between losing moves, and ponder.go solves during the opponent's turn.
//
// The tables are those of all positions of a board (boards.go), made by [SolveBoard], and
// of all positions with few free segments (endings.go), made by [SolveEndings]; verify.go
// checks them. boards_jobs.go and endings_jobs.go split their solves into jobs for a
// [farm.Farm]. [SolveValue] (value.go) solves the value of one empty board.
package circuitwars

import (
	"io"

	"endwise/book"
	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/exact"
)

// Open opens the sources of Circuit Wars: the mirror theorem and a static evaluation,
// values of empty boards, the embedded proof, tables, proofs of opening books, the exact
// solver, estimates of opening books, heuristic search.
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
		embeddedSource{solve}, book.TableSource{Know: tables.know}, solve, search,
	}, Heuristic: heuristicSource{}}, o, circuitwars.Game{}), nil
}
