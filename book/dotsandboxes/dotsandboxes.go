// Package dotsandboxes provides tables and lookup for Dots and Boxes.
//
// [Open] returns the game's [book.Lookup] and [Game] its entry in a program's list of
// games.
//
// The sources are heuristics (heuristic.go), the embedded proof (embeddedproof.go), tables
// (tables.go), the exact solver (solve.go) and heuristic search (search.go). time.go
// divides a move's time among them, and ponder.go uses the opponent's.
//
// [SolveBoard] makes the table of a board (boards.go); verify.go checks it. [SolveValue]
// (value.go, value_jobs.go, value_table.go) solves the value of one empty board, and
// [ProveValue] writes its embedded proof.
package dotsandboxes

import (
	"io"

	"endwise/book"
	"endwise/engine/dotsandboxes"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
)

// Open opens the sources of Dots and Boxes: values of empty boards, the embedded proof,
// tables, proofs of opening books, the exact solver, estimates of opening books, and
// heuristic search, which shares the solver's transposition table.
func Open(o book.Options) (*book.Lookup, error) {
	t := newTables(o.Store, o.Logger())
	s := exact.New(exact.Options{Threads: o.Threads, TableBytes: o.HashBytes})
	// A search in memory that is new to the process is slow, and on a busy machine it takes
	// seconds to find the memory: neither the bot's start nor its first answer waits for it.
	go s.Warm()
	solve := &solveSource{solver: s, learned: map[string]bool{}}
	return book.WithOpening(&book.Lookup{
		Sources: []book.Source{
			book.EmptyBoards{Game: dotsandboxes.Game{}, Store: o.Store, Solved: solvedValue},
			embeddedSource{solve}, book.TableSource{Know: t.know}, solve, searchSource{mcts.New(s, o.Threads)},
		},
		Heuristic: heuristicSource{},
		Closers:   []io.Closer{t},
	}, o, dotsandboxes.Game{}), nil
}
