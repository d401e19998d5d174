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

// Lookup calls its sources one after the other to tighten the bounds of a position until
// nothing is left to compute, and chooses a move. If the clock has a deadline, the answer
// comes before it whatever the sources do: they are stopped when [engine.Reserve] begins,
// and if a source still runs when three quarters of the reserve are left, the move is
// chosen from the results so far. A context that ends earlier because the time is up
// ([engine.TimeIsUp]) has the same effect.
type Lookup struct {
	// Game defines the meaning of values; nil is a game of points.
	Game    engine.Game
	Sources []Source
	// Heuristic evaluates every move by little more than the rules and theorems. It is
	// called first and always runs to its end.
	Heuristic Source
	// Log receives contradictions between sources; nil discards them.
	Log     *slog.Logger
	Closers []io.Closer

	memory    memory
	running   sync.WaitGroup    // sources, including those whose question is answered
	wakeDelay *engine.WakeDelay // nil for MachineWakeDelay; set by tests
}

// Outside a game a question is repeated with twice the time if its sources have expanded
// fewer than minNodes positions: near the end of a game, neither a busy machine nor a short
// limit changes the answer. A question with at least maxRepeatedTime is not repeated.
const (
	minNodes        = 10_000
	maxRepeatedTime = 4 * time.Second
)

// minInterval is the minimum interval between calls to Improved.
const minInterval = 2 * time.Millisecond

// Close waits until all sources have returned and closes what they hold open.
func (l *Lookup) Close() error {
	l.running.Wait()
	var first error
	for _, c := range l.Closers {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	l.Closers = nil
	return first
}

// Decide answers a question. If the game is over, it returns [engine.ErrGameOver] with a
// decision that contains only the elapsed time.
func (l *Lookup) Decide(ctx context.Context, q Question) (engine.Decision, error) {
	start := time.Now()
	d, err := l.decide(ctx, &q)
	return finished(d, start), err
}

// finished fills in the fields that follow from the rest of a decision.
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

// reportImprovements calls q.Improved with better decisions at intervals until stop is
// called. A panic in Improved only ends these calls.
func (l *Lookup) reportImprovements(q *Question) (stop func()) {
	if q.Improved == nil {
		return func() {}
	}
	start, end := time.Now(), make(chan struct{})
	interval := 150 * time.Millisecond
	if left, ok := q.Clock.Remaining(); ok {
		interval = min(interval, max(left/8, minInterval))
	}
	report := func() error {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for last, first := uint64(0), true; ; first = false {
			if n := q.Known.Results(); n != last || first {
				if d, _, ok := q.Known.Decide(q.AllMoves); ok {
					q.Improved(finished(d, start))
				}
				last = n
			}
			select {
			case <-end:
				return nil
			case <-tick.C:
			}
		}
	}
	var reporting sync.WaitGroup
	reporting.Go(func() {
		if err := guarded(report); err != nil && l.Log != nil {
			l.Log.Error("improvements are no longer reported", "cause", err)
		}
	})
	return func() {
		close(end)
		reporting.Wait()
	}
}

// decide is Decide without the fields that finished fills in.
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

// initKnown creates q.Known with the results that need no time: the rules, proofs of
// earlier turns and the heuristic source.
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

// collect fills q.Known within the question's time. A source may continue to tighten it for
// a moment after collect has returned.
func (l *Lookup) collect(ctx context.Context, q *Question) error {
	q.Clock = q.Clock.Begin()
	start, wakeDelay := time.Now(), cmp.Or(l.wakeDelay, &engine.MachineWakeDelay)
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
		// The time of stored sources does not count.
		before := time.Now()
		enough, err := l.query(ctx, q, slices.DeleteFunc(slices.Clone(sources), func(s Source) bool { return !isStored(s) }))
		if err != nil || enough {
			return err
		}
		sources = slices.DeleteFunc(slices.Clone(sources), isStored)
		took := time.Since(before)
		start, q.Clock = start.Add(took), q.Clock.Later(took)
	}
	for {
		left := q.Clock.Deadline.Sub(start)
		took, err := l.queryWithin(ctx, q, sources, start, left, wakeDelay)
		if err != nil || ctx.Err() != nil {
			return err
		}
		early := took < left/4 // more time would not help
		if early || q.Play || left >= maxRepeatedTime || q.Known.Settled(q.AllMoves) || q.Known.Nodes() >= minNodes {
			return nil
		}
		start, q.Clock = time.Now(), engine.ClockFor(2*max(left, time.Millisecond)).Begin()
	}
}

// queryWithin queries the sources for at most the time left, counted from start, minus the
// reserve. It returns the time that they took.
func (l *Lookup) queryWithin(ctx context.Context, q *Question, sources []Source, start time.Time, left time.Duration, wakeDelay *engine.WakeDelay) (took time.Duration, err error) {
	limited := *q
	limited.Clock.Deadline = q.Clock.Deadline.Add(-engine.Reserve(left, wakeDelay.Expected(start)))
	within, stop := context.WithDeadline(ctx, limited.Clock.Deadline)
	defer stop()
	done := make(chan struct{})
	var failed error // valid, like end, once done is closed
	var end time.Time
	l.running.Go(func() {
		defer close(done)
		failed = guarded(func() error {
			_, err := l.query(within, &limited, sources)
			return err
		})
		end = time.Now()
	})
	answered := wait(done, wakeDelay, start, left, stop)
	if !answered || within.Err() != nil && (ctx.Err() == nil || engine.TimeIsUp(ctx)) {
		return max(left, 0), nil // the time ended during a source, which stopped early
	}
	return end.Sub(start), failed
}

// wait waits for the sources until done is closed or the answer is due; left is the time
// for the answer from start on. It stops the sources earlier if the machine wakes this
// process late. It reports whether they are done.
func wait(done <-chan struct{}, wakeDelay *engine.WakeDelay, start time.Time, left time.Duration, stop func()) bool {
	if wakeDelay.Until(done, func(delay time.Duration) time.Time { return start.Add(left - engine.Reserve(left, delay)) }) {
		return true
	}
	stop()
	return wakeDelay.Until(done, func(delay time.Duration) time.Time {
		return start.Add(max(left-engine.Reserve(left, delay)*3/4, engine.MinWait))
	})
}

// isStored reports whether a source only reads stored results.
func isStored(s Source) bool {
	_, ok := s.(Stored)
	return ok
}

// query calls the sources one after the other until nothing is left to compute, which
// enough reports.
func (l *Lookup) query(ctx context.Context, q *Question, sources []Source) (enough bool, err error) {
	for _, s := range sources {
		enough, err := s.Improve(ctx, q)
		if err != nil {
			return false, fmt.Errorf("%s: %w", s.Name(), err)
		}
		if _, unmatched := q.Known.UnmatchedBound(); q.Known.Settled(q.AllMoves) || enough && !unmatched {
			return true, nil
		}
	}
	return false, nil
}

// guarded calls f and converts a panic to an error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}
