package analysis

import (
	"context"
	"sync/atomic"
	"time"

	"endwise/book"
	"endwise/engine"
)

// Limits are times on an idle machine. If the process gets too little processor time, a position is
// solved again; the solvers continue with the contents of their tables. So about the same positions
// are solved on a busy machine.

// maxAttempts is the maximum number of times that a position is solved.
const maxAttempts = 8

// load measures the elapsed time and the processor time of the process.
type load struct{ clock, processor func() time.Duration }

// openQuestions is the number of questions that share the processor time of the process.
var openQuestions atomic.Int64

// newLoad returns a load. Only differences of its times have a meaning. If the system does not
// measure processor time, the elapsed time replaces it.
func newLoad() load {
	start := time.Now()
	l := load{clock: func() time.Duration { return time.Since(start) }, processor: book.ProcessorTime}
	if !book.HasProcessorTime {
		l.processor = l.clock
	}
	return l
}

// solve returns a decision for p with the time limit limits.Solve, and repeats the question if the
// process got too little processor time.
func (a *analyst) solve(ctx context.Context, p engine.Position, allMoves bool) (engine.Decision, error) {
	limit := a.limits.Solve
	// On an idle machine a search uses about nine tenths of its limit ([engine.Reserve]).
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
		early := a.load.clock()-began < limit/2 // the sources stopped by themselves
		if d.Proof == engine.Exact || early || used >= enough || attempt == maxAttempts {
			return d, nil
		}
	}
}

// decide returns a decision for p within limit, and adds its nodes to a.nodes. It returns ctx's error if
// ctx has ended, because the decision then depends on when it ended.
func (a *analyst) decide(
	ctx context.Context, p engine.Position, limit time.Duration, allMoves bool,
) (engine.Decision, error) {
	d, err := a.lookup.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(limit), AllMoves: allMoves})
	if err == nil {
		err = ctx.Err()
	}
	a.nodes += d.Nodes
	return d, err
}
