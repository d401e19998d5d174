package analysis

import (
	"context"
	"sync/atomic"
	"time"

	"endwise/book"
	"endwise/engine"
)

// A limit applies to a machine that does nothing else. If other processes, or other games
// of this one, leave too little time for a meaningful answer, the question is repeated: a
// game is solved as far on a busy machine as on an idle one. The solvers keep their tables,
// so a repeated question resumes the search.

// maxAttempts is the maximum number of times that a question is asked. If the machine gives
// this process less than 1/maxAttempts of its time, less is solved.
const maxAttempts = 8

// load measures the time of day and the processor time of the process.
type load struct{ clock, processor func() time.Duration }

// openQuestions is the number of questions that the process is answering. They share its
// processor time.
var openQuestions atomic.Int64

// newLoad returns a load that starts at 0. A system that does not measure processor time
// counts as idle.
func newLoad() load {
	start := time.Now()
	l := load{clock: func() time.Duration { return time.Since(start) }, processor: book.ProcessorTime}
	if !book.HasProcessorTime {
		l.processor = l.clock
	}
	return l
}

// solve requests the exact value of a position.
func (a *analyst) solve(ctx context.Context, p engine.Position, allMoves bool) (engine.Decision, error) {
	limit := a.limits.Solve
	// An idle machine gives about nine tenths: see engine.Reserve.
	enough := limit*3/4 - 25*time.Millisecond
	var used time.Duration
	for attempt := 1; ; attempt++ {
		began, before := a.load.clock(), a.load.processor()
		sharing := openQuestions.Add(1)
		d, err := a.decide(ctx, p, limit, allMoves)
		sharing = max(sharing, openQuestions.Add(-1)+1)
		if err != nil {
			return d, err
		}
		used += (a.load.processor() - before) / time.Duration(sharing)
		early := a.load.clock()-began < limit/2 // more time would not have helped
		if d.Proof == engine.Exact || early || used >= enough || attempt == maxAttempts {
			return d, nil
		}
	}
}

// decide evaluates a position once.
func (a *analyst) decide(ctx context.Context, p engine.Position, limit time.Duration, allMoves bool) (engine.Decision, error) {
	d, err := a.lookup.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(limit), AllMoves: allMoves})
	if err == nil {
		err = ctx.Err()
	}
	a.nodes += d.Nodes
	return d, err
}
