// Package book is what is kept and how it is asked: Lookup answers with the
// best move of a position from the first source that knows it, and Player
// makes a competitor of it.
//
// Sources speak in a fixed order: opening book, solved table, exact solve
// inside the clock, live search. A source that knows only a part leaves it in
// the Question for the next one. Which source spoke, and whether the value is
// proved, is always in the Decision. Each game wires its sources in a file of
// its own, and tells the room of itself by a Game; games without such a file
// have the sources of AnyGame.
package book

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"endwise/engine"
	"endwise/engine/search"
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

func (o Options) logger() *slog.Logger {
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
	// ahead waits for a live search that an earlier source has begun beside its
	// own work; nil for none.
	ahead func() (search.Result, error)
}

// learn keeps what is proved of moves for the sources behind.
func (q *Question) learn(moves []engine.MoveValue) {
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

// Lookup asks its sources in order. Where the clock has a deadline the answer
// comes before it, whatever the sources do: the last part of the time is kept
// back (see reserve), and a source that overruns even that is left behind with
// its context cancelled while the answer of Instant goes out.
type Lookup struct {
	Sources []Source
	// Instant answers at once, by little more than the rules. It is asked
	// only where there is a deadline, and first.
	Instant Source
	// Theorems gives what is proved of moves without a search, for the leaves
	// of an opening book; nil for nothing.
	Theorems func(engine.Position) []engine.MoveValue
	closers  []io.Closer
}

// Limits of the time kept back before a deadline: a sixth of what there is, and
// more where the machine has been seen to wake the process up late. It covers
// the scheduler of a busy machine, the garbage collector and the solver's look
// at its context every few milliseconds.
const (
	minReserve = 25 * time.Millisecond
	maxReserve = 250 * time.Millisecond
)

// reserve is the part of the remaining time that sources don't get, where the
// process may be woken so late.
func reserve(left, late time.Duration) time.Duration {
	return min(min(max(left/6, minReserve), maxReserve)+late*5/2, max(left*6/10, 0))
}

// grace is the part of the reserve that is left when the answer that stands by
// goes out: what it takes to be woken and to hand the answer over.
func grace(kept, late time.Duration) time.Duration { return min(kept/3+late, kept*9/10) }

// Close closes what the sources hold open.
func (l *Lookup) Close() error {
	var first error
	for _, c := range l.closers {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	l.closers = nil
	return first
}

// Decide answers a question from the first source that knows. It returns
// engine.ErrGameOver, with a decision that holds only the elapsed time, when
// the game has ended.
func (l *Lookup) Decide(ctx context.Context, q Question) (engine.Decision, error) {
	start := time.Now()
	done := func(d engine.Decision, err error) (engine.Decision, error) {
		d.Exact = d.Proof == engine.Exact
		for i := range d.Moves {
			d.Moves[i].Exact = d.Moves[i].Proof == engine.Exact
		}
		if d.Line == nil {
			d.Line = []string{}
		}
		if d.Moves == nil {
			d.Moves = []engine.MoveValue{}
		}
		d.Elapsed = time.Since(start)
		d.ElapsedMS = float64(d.Elapsed.Microseconds()) / 1000
		return d, err
	}
	if q.Position.Over() {
		return done(engine.Decision{Source: "rules", Proof: engine.Exact}, engine.ErrGameOver)
	}
	if q.Clock.Deadline.IsZero() {
		return done(l.ask(ctx, &q))
	}
	left := time.Until(q.Clock.Deadline)
	usual := machine.expected(start)
	kept := reserve(left, usual)
	var instant engine.Decision
	var have bool
	if l.Instant != nil {
		first := q
		var err error
		if instant, have, err = l.Instant.Answer(ctx, &first); err != nil {
			return done(engine.Decision{}, fmt.Errorf("%s: %w", l.Instant.Name(), err))
		}
	}
	q.Clock.Deadline = q.Clock.Deadline.Add(-kept)
	if !have {
		return done(l.ask(ctx, &q))
	}
	within, cancel := context.WithDeadline(ctx, q.Clock.Deadline)
	defer cancel()
	go machine.watch(within)
	type answer struct {
		d   engine.Decision
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		d, err := l.ask(within, &q)
		answers <- answer{d, err}
	}()
	late := time.NewTimer(left - grace(kept, usual) - time.Since(start))
	defer late.Stop()
	select {
	case a := <-answers:
		if a.err != nil && within.Err() != nil && ctx.Err() == nil {
			// The time has ended within a source, which gave up.
			return done(instant, nil)
		}
		return done(a.d, a.err)
	case <-late.C:
		return done(instant, nil)
	}
}

// ask goes through the sources.
func (l *Lookup) ask(ctx context.Context, q *Question) (engine.Decision, error) {
	for _, s := range l.Sources {
		d, ok, err := s.Answer(ctx, q)
		if err != nil {
			return engine.Decision{}, fmt.Errorf("%s: %w", s.Name(), err)
		}
		if ok {
			return d, nil
		}
	}
	return engine.Decision{}, fmt.Errorf("no source knows the position %s", q.Position)
}

// Ponderer is a source that can use the opponent's time.
type Ponderer interface {
	// Ponder thinks about a position in which the opponent is to move, to know
	// more when asked about one of those after it. It returns soon after the
	// context has ended, or when there is nothing left to think about.
	Ponder(ctx context.Context, p engine.Position)
}

// Ponder lets the sources that can do so use the opponent's time, each in its
// turn.
func (l *Lookup) Ponder(ctx context.Context, p engine.Position) {
	for _, s := range l.Sources {
		if s, ok := s.(Ponderer); ok && ctx.Err() == nil && !p.Over() {
			s.Ponder(ctx, p)
		}
	}
}

// Player plays with a Lookup.
type Player struct {
	Label  string
	Lookup *Lookup
}

// Name returns the label.
func (p Player) Name() string { return p.Label }

// Choose decides on a move.
func (p Player) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	return p.Lookup.Decide(ctx, Question{Position: pos, Clock: c, Play: true})
}

// Ponder thinks about a position in which the opponent is to move.
func (p Player) Ponder(ctx context.Context, pos engine.Position) { p.Lookup.Ponder(ctx, pos) }
