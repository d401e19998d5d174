// Package book answers questions about positions. A [Lookup] collects what its sources
// know about every legal move and chooses the best move; a [Player] plays with it.
//
// Known holds, for every legal move, an interval that contains the move's value and
// perhaps an estimate. Each [Source] tightens the intervals in turn: theorems and a static
// evaluation, values of empty boards (emptyboards.go), the embedded proof, tables, proofs of opening books, the exact solver within
// the time limit, estimates of opening books, heuristic search. Proofs of earlier turns
// (memory.go) come before all of them. An interval can only get tighter, so no source
// undoes what another has proved; a contradiction is logged and ignored. The move is
// chosen by one rule (choose.go), also at the deadline (lookup.go).
//
// # Packages
//
// circuitwars, dotsandboxes and watchyourback each provide the sources of one game, in
// the order of their use, the time each source gets (time.go), the tables the sources
// read, and the code that makes and verifies those tables. Their ponder.go thinks
// during the opponent's turn.
//
// store keeps tables in Badger: one immutable directory per table, blocks with
// checksums, verification, and the builder that resumes an interrupted solve. opening is
// the opening book: grow.go and frontier.go choose the next position, propagate.go
// computes values through the graph, journal.go is the book's file, publish.go writes
// the compact form that players open, merge.go joins books.
//
// analysis reads records of games, finds mistakes (judge.go), and computes accuracy,
// summaries and exercises. why explains values in sentences. remote answers questions over HTTP, with limits per client,
// and asks another server.
package book

import (
	"context"
	"io/fs"
	"log/slog"

	"endwise/engine"
)

// Options are what the sources of any game are opened with.
type Options struct {
	// Books are directories of opening books, published or working stores, that
	// speak before the published ones of Store, the first one first; those of
	// other games are passed over.
	Books []string
	// Store is the directory of the solved tables and of the published
	// opening books; "" or a directory that does not exist means none. A
	// table that can't be used is reported to Log once and left out.
	Store string
	// Starter holds the published opening books that ship with the program,
	// a directory each: the last edition, unpacked into Store. nil for none.
	Starter fs.FS
	// Threads of exact solver and search; at least 1.
	Threads int
	// HashBytes is the size of the solver's transposition table.
	HashBytes int64
	// Log hears about tables that are left out and sources that contradict each
	// other; nil discards.
	Log *slog.Logger
}

// Logger is Log, or one that discards.
func (o Options) Logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// Question is one position to decide, and what is known about it so far.
type Question struct {
	Position engine.Position
	Clock    engine.Clock
	// AllMoves asks for the value of every legal move, not only the best.
	AllMoves bool
	// Play says that the answer will be played in a game: what is proved now is
	// remembered for the decisions that follow, and where all moves lose one
	// that sets the opponent problems may be preferred to the one that loses
	// least.
	Play bool
	// Improved, if given, hears of what is known at first, and meanwhile where that
	// gets better, some times a second, and not after the answer.
	Improved func(engine.Decision)
	// Known is set by the Lookup.
	Known *Known
}

// Source finds something out about positions.
type Source interface {
	// Name is what Decision.Source says.
	Name() string
	// Improve tightens q.Known, as soon as it has something to say: the answer
	// may go out before it returns. With enough it says that the sources behind
	// it have nothing to add in the time there is.
	Improve(ctx context.Context, q *Question) (enough bool, err error)
}

// Stored marks sources that only read what is stored. Outside a game their time does not
// count against the question's.
type Stored interface{ Stored() }
