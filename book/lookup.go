package book

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"endwise/engine"
)

// Lookup answers questions about positions. It calls its sources one after the other until nothing is
// left to compute, and chooses a move.
//
// If the clock has a deadline, the last part of the time is a reserve ([engine.Reserve]). The Sources,
// except [Stored] ones without Question.Play, are stopped when the reserve begins. If a source still
// runs when three quarters of the reserve are left, the move is chosen from the results so far. A
// context that ends because the time is up ([engine.TimeIsUp]) has the same effect as the deadline.
type Lookup struct {
	// Game defines the meaning of values; nil stands for a game that counts points.
	Game engine.Game
	// Sources are called in this order; without Question.Play and with a deadline, [Stored] ones come first.
	Sources []Source
	// Heuristic is called before Sources, without a time limit. It estimates every move; nil for none.
	Heuristic Source
	// Log receives contradictions between sources; nil discards them.
	Log     *slog.Logger
	Closers []io.Closer // closed by Close

	memory    memory
	running   sync.WaitGroup    // goroutines that call sources
	wakeDelay *engine.WakeDelay // nil for engine.MachineWakeDelay; set by tests
}

// If Question.Play is false and the sources took at least a quarter of the time, expanded fewer than
// minNodes positions and did not settle the answer, the question is repeated with twice the time, until
// the time is at least maxRepeatedTime. So answers near a game's end hardly depend on a short limit.
const (
	minNodes        = 10_000
	maxRepeatedTime = 4 * time.Second
)

const minInterval = 2 * time.Millisecond

// Close waits for the sources of answers with a deadline and of Ponder, closes l.Closers and returns the
// first error.
func (l *Lookup) Close() error {
	l.running.Wait()
	var first error
	for _, c := range l.Closers {
		first = cmp.Or(first, c.Close())
	}
	l.Closers = nil
	return first
}

// Decide answers a question. It returns [engine.ErrGameOver] if the game is over, an error of a source,
// or an error if no source has evaluated any move.
func (l *Lookup) Decide(ctx context.Context, q Question) (engine.Decision, error) {
	start := time.Now()
	d, err := l.decide(ctx, &q)
	return finished(d, start), err
}

// finished returns d with Exact set, the time since start, and empty slices in place of nil.
func finished(d engine.Decision, start time.Time) engine.Decision {
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
	return d
}

// reportImprovements calls q.Improved, if it is not nil, until stop is called; stop returns when no call
// is running. A panic in Improved ends the calls and is logged.
func (l *Lookup) reportImprovements(q *Question) (stop func()) {
	if q.Improved == nil {
		return func() {}
	}
	start := time.Now()
	reporting, end := context.WithCancel(context.Background())
	interval := 150 * time.Millisecond
	if left, ok := q.Clock.Remaining(); ok {
		interval = min(interval, max(left/8, minInterval))
	}
	report := func() error {
		for reported := ^uint64(0); ; { // the number of results at the last report, none at first
			if n := q.Known.Results(); n != reported {
				if d, _, ok := q.Known.Decide(q.AllMoves); ok {
					q.Improved(finished(d, start))
				}
				reported = n
			}
			if engine.Pause(reporting, interval) != nil {
				return nil
			}
		}
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := guarded(report); err != nil && l.Log != nil {
			l.Log.Error("improvements are no longer reported", "cause", err)
		}
	})
	return func() {
		end()
		running.Wait()
	}
}

func (l *Lookup) decide(ctx context.Context, q *Question) (engine.Decision, error) {
	if q.Position.Over() {
		return engine.Decision{Source: "rules", Proof: engine.Exact}, engine.ErrGameOver
	}
	if err := l.collect(ctx, q); err != nil {
		return engine.Decision{}, err
	}
	d, chosen, ok := q.Known.Decide(q.AllMoves)
	if !ok {
		return d, fmt.Errorf("no source covers the position %s", q.Position)
	}
	if q.Play {
		l.memory.remember(q.Known, chosen, d.Line)
	}
	return d, nil
}

// initKnown sets q.Known, with proofs of earlier turns and the results of the heuristic source.
func (l *Lookup) initKnown(ctx context.Context, q *Question) error {
	q.Known = NewKnown(q.Position, l.Game, l.Log)
	q.Known.play = q.Play
	l.memory.recall(q.Known)
	if l.Heuristic != nil {
		if _, err := l.Heuristic.Improve(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", l.Heuristic.Name(), err)
		}
	}
	q.Known.MarkHeuristic()
	return nil
}

// collect creates q.Known and records results in it until nothing is left to compute or the question's
// time is up. It may change q.Clock. A source that does not stop in time may record results even later.
func (l *Lookup) collect(ctx context.Context, q *Question) error {
	q.Clock = q.Clock.Begin()
	start := time.Now()
	if err := l.initKnown(ctx, q); err != nil {
		return err
	}
	defer l.reportImprovements(q)()
	if q.Clock.Deadline.IsZero() {
		_, err := l.query(ctx, q, l.Sources)
		return err
	}
	sources := l.Sources
	if !q.Play {
		before := time.Now()
		stored := slices.DeleteFunc(slices.Clone(sources), func(s Source) bool { return !isStored(s) })
		enough, err := l.query(ctx, q, stored)
		if err != nil || enough {
			return err
		}
		sources = slices.DeleteFunc(slices.Clone(sources), isStored)
		took := time.Since(before)
		start, q.Clock = start.Add(took), q.Clock.Later(took)
	}
	for {
		limit := timeLimit{start, q.Clock.Deadline.Sub(start)}
		took, err := l.queryWithin(ctx, q, sources, limit)
		if err != nil || ctx.Err() != nil {
			return err
		}
		early := took < limit.left/4 // the sources have stopped by themselves
		enough := q.Known.Settled(q.AllMoves) || q.Known.Nodes() >= minNodes
		if early || enough || q.Play || limit.left >= maxRepeatedTime {
			return nil
		}
		start, q.Clock = time.Now(), engine.ClockFor(2*max(limit.left, time.Millisecond)).Begin()
	}
}

type timeLimit struct {
	start time.Time
	left  time.Duration
}

// queryWithin calls the sources in another goroutine until the reserve of the limit begins. It returns
// the time that they took and their error, or limit.left if they were stopped. q.Clock must end with the
// limit.
func (l *Lookup) queryWithin(
	ctx context.Context, q *Question, sources []Source, limit timeLimit,
) (took time.Duration, err error) {
	wakeDelay := cmp.Or(l.wakeDelay, &engine.MachineWakeDelay)
	limited := *q
	reserve := engine.Reserve(limit.left, wakeDelay.Expected(limit.start))
	limited.Clock.Deadline = q.Clock.Deadline.Add(-reserve)
	within, stop := context.WithDeadline(ctx, limited.Clock.Deadline)
	defer stop()
	done := make(chan struct{})
	var failed error  // of query; set before done is closed
	var end time.Time // of query; set before done is closed
	l.running.Go(func() {
		defer close(done)
		failed = guarded(func() error {
			_, err := l.query(within, &limited, sources)
			return err
		})
		end = time.Now()
	})
	ended := limit.wait(done, wakeDelay, stop)
	// Errors of sources that were stopped because the time is up are ignored.
	timeUp := within.Err() != nil && (ctx.Err() == nil || engine.TimeIsUp(ctx))
	if !ended || timeUp {
		return max(limit.left, 0), nil
	}
	return end.Sub(limit.start), failed
}

// wait calls stop when the reserve begins, unless done is closed before. It waits until done is closed
// or three quarters of the reserve are left, but at least [engine.MinWait] from the start of the limit,
// and reports whether done is closed.
func (t timeLimit) wait(done <-chan struct{}, wakeDelay *engine.WakeDelay, stop func()) bool {
	if wakeDelay.Until(done, func(delay time.Duration) time.Time {
		return t.start.Add(t.left - engine.Reserve(t.left, delay))
	}) {
		return true
	}
	stop()
	return wakeDelay.Until(done, func(delay time.Duration) time.Time {
		return t.start.Add(max(t.left-engine.Reserve(t.left, delay)*3/4, engine.MinWait))
	})
}

func isStored(s Source) bool {
	_, ok := s.(Stored)
	return ok
}

// query calls the sources one after the other. It stops and returns enough = true when nothing is left
// to compute, or when a source reports enough and there is no [Known.UnmatchedBound].
func (l *Lookup) query(ctx context.Context, q *Question, sources []Source) (enough bool, err error) {
	for _, s := range sources {
		if enough, err = s.Improve(ctx, q); err != nil {
			return false, fmt.Errorf("%s: %w", s.Name(), err)
		}
		if _, unmatched := q.Known.UnmatchedBound(); q.Known.Settled(q.AllMoves) || enough && !unmatched {
			return true, nil
		}
	}
	return false, nil
}

// guarded calls f and returns its error; a panic in f becomes an error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}
