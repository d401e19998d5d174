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

// choose asks the player, once it has returned from what it pondered. The
// answer must be on its way within the limit, counted from the arrival of the
// message that asked for it: should the player not have answered shortly before
// that, it is what the player has said so far, or else a line chosen at once.
func (c *connection) choose(ctx context.Context, pos dotsandboxes.Position, soFar *engine.SoFar, log *slog.Logger, limit time.Duration, arrived time.Time, pondered <-chan struct{}) (line engine.Move, source string) {
	if pondered != nil {
		select {
		case <-pondered:
		case <-time.After(limit / 10):
		case <-ctx.Done():
		}
	}
	margin := c.agent.margin(limit)
	deadline := arrived.Add(limit - margin)
	searching, enough := context.WithDeadline(ctx, deadline)
	defer enough()
	asked := engine.Ask(searching, c.agent.Player, pos, engine.Clock{Deadline: deadline}, 0, soFar)
	c.thinking.Go(func() { <-asked.Returned })
	// The process that reads the answer, on the same machine, wakes up as late as this one:
	// twice that lateness is kept back.
	if cmp.Or(c.agent.late, &engine.MachineLateness).Until(asked.Returned, func(late time.Duration) time.Time { return deadline.Add(-min(2*late, limit/4)) }) {
		answer := <-asked.Answer
		if answer.Err == nil {
			return answer.Move, answer.Decision.Source
		}
		if searching.Err() == nil {
			log.Error("the player has no move", "cause", answer.Err)
		}
	}
	if d, line, ok := soFar.Move(pos); ok {
		return line, d.Source
	}
	return pos.QuickMove(), engine.Fallback
}

// margin is what is kept back of a limit for the way of the messages.
func (a *Agent) margin(limit time.Duration) time.Duration {
	return min(cmp.Or(a.Margin, 20*time.Millisecond+limit/20), limit/2)
}
