package dabws

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// DefaultTime is the time for a move in a game without a usable limit.
const DefaultTime = 500 * time.Millisecond

const maxTimeLimit = 10 * time.Minute

// limit returns the time per move in a start message, or DefaultTime and a description of the fault.
func (m message) limit() (d time.Duration, odd string) {
	seconds, ok := m.TimeLimit.Float()
	text := engine.OneLine(m.TimeLimit.String(), 40)
	switch {
	case m.TimeLimit.IsZero():
		return DefaultTime, "the start message has no time limit"
	case !ok:
		return DefaultTime, fmt.Sprintf("timelimit %s: want a number of seconds", text)
	case !(seconds > 0 && seconds <= maxTimeLimit.Seconds()):
		return DefaultTime, fmt.Sprintf("timelimit %s: want more than 0 and at most %g seconds", text, maxTimeLimit.Seconds())
	}
	return time.Duration(seconds * float64(time.Second)), ""
}

// choose returns the player's line and decision in the position pos. If the player has no move within
// limit after arrived, choose returns the decision of [engine.SoFar.Move] or, if there is none,
// [dotsandboxes.Position.QuickMove] with the source [engine.Fallback].
//
// Before it calls the player, choose waits until pondered is closed, but not longer than a tenth of
// the limit, and then for the game's turn to search ([turns]). pondered may be nil.
func (c *connection) choose(ctx context.Context, pos dotsandboxes.Position, soFar *engine.SoFar, log *slog.Logger,
	limit time.Duration, arrived time.Time, pondered <-chan struct{}) (line engine.Move, d engine.Decision) {
	if pondered != nil {
		select {
		case <-pondered:
		case <-time.After(limit / 10):
		case <-ctx.Done():
		}
	}
	a, wakeDelay := c.agent, cmp.Or(c.agent.wakeDelay, &engine.MachineWakeDelay)
	clock := engine.Clock{Deadline: arrived.Add(limit - min(a.Overhead, limit/2))}
	left := time.Until(clock.Deadline)
	searching, stop := context.WithCancelCause(ctx)
	end := clock.Deadline.Add(-engine.Reserve(left, wakeDelay.Expected(time.Now())))
	turn := a.turns.enter(end, func() { stop(context.DeadlineExceeded) })
	defer stop(nil)
	defer turn.leave()
	clock.MoveTime = turn.wait(ctx)
	answer, returned, ok := engine.AskInTime(searching, a.Player, pos, clock, soFar, a.wakeDelay)
	c.thinking.Go(func() { <-returned })
	if answer.Err != nil && answer.Err != engine.ErrLate && searching.Err() == nil {
		log.Error("the player has no move", "cause", answer.Err)
	}
	if !ok {
		return pos.QuickMove(), engine.Decision{Source: engine.Fallback}
	}
	return answer.Move, answer.Decision
}
