// Package book is stored knowledge and the lookup over it: Lookup answers with
// the best move of a position, and Player plays with it. The opening book is one
// of its sources and has a package of its own, opening.
//
// All that is known of a position stands in one place, package known: for every legal
// move an interval that encloses its value, and perhaps an estimate. Sources
// tighten it one after the other: theorems and a static evaluation of every move,
// what the opening book proves, solved tables, an exact solve within the move's
// time, the opening book's estimates, live search. What an earlier move of the game has proved
// (memory.go) is there before any of them. Every source's result passes
// through Known, which only tightens, so none can throw away what another has
// proved; the move is chosen from it (known/choose.go), at the deadline too (lookup.go).
//
// Here stands what all games share. Each game has a package of its own, with
// its sources, the tables that they read, and what makes and checks those; its
// function Game describes it.
package book

import (
	"context"
	"io/fs"
	"log/slog"

	"endwise/book/known"
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
	// Nodes is about how many nodes the exact solves of the lookup may take
	// together, and each live search; 0 leaves that to the clock. With it, one
	// thread, no clock and nothing asked before, an answer is the same in every run.
	Nodes uint64
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
	Known *known.Known
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
