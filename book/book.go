// Package book evaluates positions from stored and computed results. A [Lookup] collects
// what its sources prove and estimate about every legal move and chooses the best move; a
// [Player] plays with it.
//
// [Known] holds, for every legal move, an interval that contains the move's value and
// perhaps an estimate. Each [Source] tightens the intervals in turn: the heuristic source
// (theorems and a static evaluation), values of empty boards (emptyboards.go), the embedded
// proof, tables, proofs of opening books, the exact solver within the time limit, estimates
// of opening books, heuristic search. Proofs of earlier turns (memory.go) come before all
// of them. An interval can only get tighter, so no source overrules what another has
// proved; a contradiction is logged and ignored. The move is chosen by one rule
// (choose.go), also at the deadline (lookup.go).
//
// # Packages
//
// circuitwars, dotsandboxes and watchyourback each provide the sources of one game in
// lookup order, the time for each source (time.go), the tables the sources read, and the
// code that solves and verifies those tables. Their ponder.go searches during the
// opponent's turn.
//
// store keeps tables in Badger: one immutable directory per table, blocks with checksums,
// verification, and the builder that resumes an interrupted solve. opening is the opening
// book: grow.go and frontier.go choose the next position, propagate.go computes values
// through the graph, journal.go is the book's file, publish.go writes the compact form that
// players open, merge.go merges books.
//
// analysis reads records of games, finds mistakes (judge.go), and computes accuracy,
// summaries and exercises. why explains values in sentences. remote answers requests over
// HTTP, with limits per client, and queries another server.
package book

import (
	"context"
	"io/fs"
	"log/slog"

	"endwise/engine"
)

// Options configure the sources of any game.
type Options struct {
	// Books are directories of opening books, published or working stores, in lookup order.
	// They are consulted before the published books of Store. Books of other games are
	// ignored.
	Books []string
	// Store is the directory of the solved tables and of the published opening books; "" or
	// a missing directory means none. A table that cannot be used is logged once and
	// ignored.
	Store string
	// Starter holds the built-in published opening books, one directory per book. They come
	// last in lookup order and are unpacked into Store. nil means none.
	Starter fs.FS
	// Threads is the number of threads of exact solver and heuristic search; at least 1.
	Threads int
	// HashBytes is the size of the solver's transposition table.
	HashBytes int64
	// Log receives a line for each ignored table or book and for each contradiction between
	// sources; nil discards them.
	Log *slog.Logger
}

// Logger returns Log, or a logger that discards if Log is nil.
func (o Options) Logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// Question is one position to decide, with the bounds and estimates found so far.
type Question struct {
	Position engine.Position
	Clock    engine.Clock
	// AllMoves requests the value of every legal move, not only of the best one.
	AllMoves bool
	// Play means that the chosen move will be played in a game: its proof is remembered for
	// the following decisions, and if all moves lose, a move that is hard to answer may be
	// preferred to the one that loses least.
	Play bool
	// Improved, if not nil, is called with the first decision and then, several times a
	// second, with each better one. It is not called after Decide has returned.
	Improved func(engine.Decision)
	// Known is set by the [Lookup].
	Known *Known
}

// Source proves or estimates values of positions.
type Source interface {
	// Name returns the text for [engine.Decision.Source].
	Name() string
	// Improve tightens q.Known, recording each result as soon as it has it, because the
	// deadline may come before Improve returns. enough reports that the sources after this
	// one cannot improve the answer in the remaining time.
	Improve(ctx context.Context, q *Question) (enough bool, err error)
}

// Stored marks sources that only read stored results. Outside a game their time does not
// count against the question's limit.
type Stored interface{ Stored() }
