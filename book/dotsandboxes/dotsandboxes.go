// Package dotsandboxes provides tables and lookup for Dots and Boxes.
//
// [Open] returns the [book.Lookup] of the game, and [Game] its [book.Game].
//
// The sources of the lookup are heuristics (heuristic.go), the embedded proof (embeddedproof.go),
// tables (tables.go), the exact solver (solve.go) and heuristic search (search.go). time.go divides
// the time for a move among them. ponder.go searches during the opponent's turn.
//
// [SolveBoard] computes the table of a board (boards.go), and verify.go checks it. [SolveValue] computes
// the value of an empty board (value.go, value_jobs.go, value_table.go), and [ProveValue] writes an
// embedded proof of it.
package dotsandboxes

import (
	"io"

	"endwise/book"
	"endwise/engine/dotsandboxes"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
)

// Open returns a lookup with all sources of Dots and Boxes, in the order listed in package book.
func Open(o book.Options) (*book.Lookup, error) {
	t := newTables(o.Store, o.Logger())
	s := exact.New(exact.Options{Threads: o.Threads, TableBytes: o.HashBytes})
	// Writing to the solver's memory for the first time can take long.
	go s.Warm()
	solve := &solveSource{solver: s, learned: map[string]bool{}}
	return book.WithOpening(&book.Lookup{
		Sources: []book.Source{
			book.EmptyBoards{Game: dotsandboxes.Game{}, Store: o.Store, Solved: solvedValue},
			embeddedSource{solve}, book.TableSource{Value: t.value}, solve, searchSource{mcts.New(s, o.Threads)},
		},
		Heuristic: heuristicSource{},
		Closers:   []io.Closer{t},
	}, o, dotsandboxes.Game{}), nil
}
