// Package dotsandboxes is what is kept and answered of Dots and Boxes: boards
// makes tables, tables opens them and looks up, value works out what one board
// is worth, shippedproof is what ships of such a value's proof, solve and search
// answer within the clock, instant at once.
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
	// Before a clock runs: a busy machine may take long to find the memory.
	s.Warm()
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
