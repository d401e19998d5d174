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

// The clock of a move runs from the arrival of the message that asks for it; its
// limit is the game's start message's.

// DefaultTime is the time for a move in a game that names no limit, or none
// that makes sense.
const DefaultTime = 500 * time.Millisecond

// maxTimeLimit bounds what a start message can ask for.
const maxTimeLimit = 10 * time.Minute

// limit is the time for a move that a start message sets. odd says why it is
// DefaultTime in the place of what stands there, "" where it is not.
func (m message) limit() (d time.Duration, odd string) {
	seconds, ok := m.TimeLimit.Float()
	text := engine.OneLine(m.TimeLimit.String(), 40)
	switch {
	case m.TimeLimit.IsZero():
		return DefaultTime, "the game names no time limit"
	case !ok:
		return DefaultTime, fmt.Sprintf("timelimit %s: want a number of seconds", text)
	case !(seconds > 0 && seconds <= maxTimeLimit.Seconds()):
		return DefaultTime, fmt.Sprintf("timelimit %s: want more than 0 and at most %g seconds", text, maxTimeLimit.Seconds())
	}
	return time.Duration(seconds * float64(time.Second)), ""
}

// choose asks the player, once it has returned from what it pondered and it is the game's
// turn to search. The answer must arrive within the limit, counted from the arrival of the
// message that asked for it; if there is no move in time, it is a line chosen without search.
func (c *connection) choose(ctx context.Context, pos dotsandboxes.Position, soFar *engine.SoFar, log *slog.Logger, limit time.Duration, arrived time.Time, pondered <-chan struct{}) (line engine.Move, d engine.Decision) {
	if pondered != nil {
		select {
		case <-pondered:
		case <-time.After(limit / 10):
		case <-ctx.Done():
		}
	}
	a, wakeDelay := c.agent, cmp.Or(c.agent.late, &engine.MachineWakeDelay)
	clock := engine.Clock{Deadline: arrived.Add(limit - min(a.Overhead, limit/2))}
	left := time.Until(clock.Deadline)
	searching, enough := context.WithCancelCause(ctx)
	turn := a.turns.enter(clock.Deadline.Add(-engine.Reserve(left, wakeDelay.Expected(time.Now()))), func() { enough(context.DeadlineExceeded) })
	defer enough(nil)
	defer turn.leave()
	clock.MoveTime = turn.wait(ctx)
	answer, returned, ok := engine.AskInTime(searching, a.Player, pos, clock, soFar, a.late)
	c.thinking.Go(func() { <-returned })
	if answer.Err != nil && answer.Err != engine.ErrLate && searching.Err() == nil {
		log.Error("the player has no move", "cause", answer.Err)
	}
	if !ok {
		return pos.QuickMove(), engine.Decision{Source: engine.Fallback}
	}
	return answer.Move, answer.Decision
}
