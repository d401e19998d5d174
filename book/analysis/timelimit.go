package analysis

import (
	"context"
	"sync/atomic"
	"time"

	"endwise/book"
	"endwise/engine"
)

// A limit is meant as time of a machine that has nothing else to do. Where other
// processes, or other games of this one, leave a question so little of it that
// an answer means nothing, the question is asked again: so a game is solved as
// far on a busy machine as on an idle one. Asking again goes on where the last
// time ended, because the solvers keep what they have learnt.

// maxAsks bounds how often a question is asked: on a machine that gives less
// than one part in so many to this process, less is solved.
const maxAsks = 8

// load tells the time of day and how much of it the process could use.
type load struct{ clock, processor func() time.Duration }

// asking is how many questions the process has open. They share what it uses.
var asking atomic.Int64

// machine is the load that is measured. A system that does not tell processor
// time is taken for idle.
func machine() load {
	start := time.Now()
	l := load{clock: func() time.Duration { return time.Since(start) }, processor: book.ProcessorTime}
	if !book.HasProcessorTime {
		l.processor = l.clock
	}
	return l
}

// solve asks for the exact value of a position.
func (a *analyst) solve(ctx context.Context, p engine.Position, allMoves bool) (engine.Decision, error) {
	limit := a.limits.Solve
	// An idle machine gives about nine tenths: see engine.Reserve.
	enough := limit*3/4 - 25*time.Millisecond
	var used time.Duration
	for asks := 1; ; asks++ {
		began, before := a.load.clock(), a.load.processor()
		sharers := asking.Add(1)
		d, err := a.decide(ctx, p, limit, allMoves)
		sharers = max(sharers, asking.Add(-1)+1)
		if err != nil {
			return d, err
		}
		used += (a.load.processor() - before) / time.Duration(sharers)
		early := a.load.clock()-began < limit/2 // more time would not have helped
		if d.Proof == engine.Exact || early || used >= enough || asks == maxAsks {
			return d, nil
		}
	}
}

// decide asks about a position once.
func (a *analyst) decide(ctx context.Context, p engine.Position, limit time.Duration, allMoves bool) (engine.Decision, error) {
	d, err := a.ask.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(limit), AllMoves: allMoves})
	if err == nil {
		err = ctx.Err()
	}
	a.nodes += d.Nodes
	return d, err
}
