// Package book is what is kept and how it is asked: Lookup answers with the
// best move of a position from the first source that knows it, and Player
// makes a competitor of it.
//
// Sources speak in a fixed order: what the opening book proves, solved table,
// exact solve inside the clock, in Circuit Wars the mirror theorem, the opening
// book's estimates, live search. A source that knows only a part leaves it in
// the Question for the next one. Which source spoke, and whether the value is
// proved, is always in the Decision.
//
// Here stands what all games share. Each game has a package of its own, with
// its sources, the tables that they read, and what makes and checks those; it
// tells of itself by a Game. Package anygame makes a Game of the rules alone.
package book

import (
	"context"
	"io/fs"
	"log/slog"

	"endwise/engine"
)

// Options are what the sources of any game are opened with.
type Options struct {
	// Store is the directory of the solved tables and of the published
	// opening books; "" or a directory that does not exist means none. A
	// table that can't be used is reported to Log once and left out.
	Store string
	// Starter holds the published opening books that ship with the program,
	// a directory each; they are unpacked into Store for boards of which it
	// has no book. nil for none.
	Starter fs.FS
	// Threads of exact solver and search; at least 1.
	Threads int
	// HashBytes is the size of the solver's transposition table.
	HashBytes int64
	// Log hears about tables that are left out; nil discards.
	Log *slog.Logger
}

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
	// Play says that the answer will be played in a game: where all moves lose
	// one that sets the opponent problems may be preferred to the one that
	// loses least.
	Play bool
	// Known holds what earlier sources proved about single moves.
	Known []engine.MoveValue
	// Nodes counts what earlier sources expanded.
	Nodes uint64
	// Begun is a search that an earlier source of the same game has begun beside
	// its own work, for the later one that takes it up; nil for none.
	Begun any
}

// Learn keeps what is proved of moves for the sources behind.
func (q *Question) Learn(moves []engine.MoveValue) {
	for _, v := range moves {
		if v.Proof != engine.Estimate {
			q.Known = append(q.Known, v)
		}
	}
}

// Source answers questions of one kind.
type Source interface {
	// Name is what Decision.Source says.
	Name() string
	// Answer decides the question. ok is false when the source has no answer;
	// it may still have added to q.Known.
	Answer(ctx context.Context, q *Question) (d engine.Decision, ok bool, err error)
}

// Ponderer is a source that can use the opponent's time.
type Ponderer interface {
	// Ponder thinks about a position in which the opponent is to move, to know
	// more when asked about one of those after it. It returns soon after the
	// context has ended, or when there is nothing left to think about.
	Ponder(ctx context.Context, p engine.Position)
}
