// Package book evaluates positions from stored and computed results. A [Lookup] answers a [Question]
// about a position: it calls its sources, which prove and estimate the values of the legal moves, and
// chooses a move. A [Game] combines the rules of a game with its sources and its tables.
//
// # Lookup
//
// A [Known] contains bounds and estimates of the legal moves. The results are added in this order:
//
//  1. proofs of earlier turns of the same game (memory.go)
//  2. the heuristic source: theorems and a static evaluation
//  3. values of empty boards (emptyboards.go) and the embedded proof (proof.go)
//  4. tables (tables.go)
//  5. proofs in opening books (opening_source.go)
//  6. the exact solver, within the time limit
//  7. estimates in opening books
//  8. heuristic search
//
// If Question.Play is false and the clock has a deadline, the [Stored] sources of 3 to 5 come first.
//
// Bounds only become tighter. Bounds that contradict earlier ones are logged and ignored, so a source
// cannot overrule another one's proof.
//
// # Packages
//
//   - circuitwars, dotsandboxes and watchyourback provide the sources of one game, and solve and
//     verify its tables.
//   - store contains tables and builds them.
//   - opening contains opening books.
//   - analysis finds mistakes in recorded games.
//   - why explains values in sentences.
//   - remote answers questions over HTTP and queries another server.
package book

import (
	"context"
	"io/fs"
	"log/slog"

	"endwise/engine"
)

// Options configure the sources of a game.
type Options struct {
	// Books are directories of opening books, working or published, in lookup order. They are consulted
	// before the published books in Store. Books of other games are ignored.
	Books []string
	// NoBooks disables all opening books.
	NoBooks bool
	// Store is the directory of solved tables and published opening books; "" or a missing directory
	// means none. Tables and books that cannot be used are logged and ignored.
	Store string
	// Starter contains the built-in opening books (published), one directory per book; nil means none.
	// They are unpacked into Store, without which they are not used, and come last in lookup order.
	Starter fs.FS
	// Threads is the number of threads of a search, at least 1.
	Threads int
	// HashBytes is the size of the solver's transposition table.
	HashBytes int64
	// Log receives ignored tables and books, and contradictions between sources; nil discards them.
	Log *slog.Logger
}

// Logger returns Log, or a logger that discards everything if Log is nil.
func (o Options) Logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

type Question struct {
	Position engine.Position
	Clock    engine.Clock // the time for the answer
	// AllMoves requests the values of all legal moves instead of the best one only.
	AllMoves bool
	// Play reports whether the chosen move will be played in a game. If so, the Lookup remembers the
	// proof of the move for later turns. If all moves lose, it may choose a move that is hard to answer
	// instead of one that loses by less.
	Play bool
	// Improved, if not nil, is called during Decide with the first decision, and repeatedly with the
	// present one if results were recorded since the last call.
	Improved func(engine.Decision)
	// Known contains the bounds and estimates found so far. The Lookup sets it.
	Known *Known
}

// Source proves or estimates values of moves.
type Source interface {
	// Name returns the text for [engine.Decision.Source].
	Name() string
	// Improve records each result in q.Known immediately, because the answer may be due before Improve
	// returns. enough reports whether later sources need not be called.
	Improve(ctx context.Context, q *Question) (enough bool, err error)
}

// Stored is implemented by sources that only read stored results. If Question.Play is false, their
// time does not count against the time limit.
type Stored interface{ Stored() }
