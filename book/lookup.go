package book

import (
	"context"
	"fmt"
	"io"
	"time"

	"endwise/engine"
)

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
	Closers  []io.Closer
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
	for _, c := range l.Closers {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	l.Closers = nil
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

// Ponder lets the sources that can do so use the opponent's time, each in its
// turn.
func (l *Lookup) Ponder(ctx context.Context, p engine.Position) {
	for _, s := range l.Sources {
		if s, ok := s.(Ponderer); ok && ctx.Err() == nil && !p.Over() {
			s.Ponder(ctx, p)
		}
	}
}
