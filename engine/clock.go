package engine

import (
	"context"
	"errors"
	"time"
)

// Pause waits for d. If ctx ends before that, it returns the error of ctx.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// TimeIsUp reports whether ctx has ended with the cause context.DeadlineExceeded; a player
// then returns its best move so far.
func TimeIsUp(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// Clock is the time for a move. The zero value sets no limit. The protocols compute it
// (wire/cwbot/clock.go, wire/dabws/clock.go, wire/wyb/pace.go).
type Clock struct {
	// Deadline is the time by which the answer must arrive; zero for none. The player
	// itself subtracts [Reserve] from it; protocols subtract only the time of the network.
	Deadline time.Time
	// MoveTime is the target time for this move; zero means as much as the deadline allows.
	MoveTime time.Duration

	begun time.Time // from when on MoveTime is spent; zero before Begin
}

// Begin returns the clock of a player that begins to think now: from now on MoveTime is
// spent. Before, Remaining takes all of it to be left.
func (c Clock) Begin() Clock {
	c.begun = time.Now()
	return c
}

// Later returns the clock with d more time.
func (c Clock) Later(d time.Duration) Clock {
	c.Deadline, c.begun = c.Deadline.Add(d), c.begun.Add(d)
	return c
}

// ClockFor returns a clock for a move of at most d from now.
func ClockFor(d time.Duration) Clock {
	return Clock{Deadline: time.Now().Add(d), MoveTime: d}
}

// Remaining returns the time left until the deadline, at most MoveTime. ok is false if
// there is no limit. After the deadline, d is zero or negative.
func (c Clock) Remaining() (d time.Duration, ok bool) {
	d, limited := time.Until(c.Deadline), !c.Deadline.IsZero()
	if c.MoveTime <= 0 {
		return d, limited
	}
	left := c.MoveTime
	if !c.begun.IsZero() {
		left -= time.Since(c.begun)
	}
	if limited {
		left = min(left, d)
	}
	return left, true
}

// Reserve returns the part of a move's limit that is not used for search; no other time is
// subtracted from the limit:
//
//   - when the reserve begins, searches are stopped;
//   - when three quarters of it are left, a player answers without searches that still run;
//   - when two thirds are left, a bot plays the best move that the player has reported
//     ([AskInTime]).
//
// It is a tenth of the limit, plus the time to stop a search and to deliver the answer. The
// search, the bot and the reader of its answer may each wake up late by the delay that
// [WakeDelay] expects. Longer delays mean that other programs compete for the processors;
// above 13 ms the reserve grows twice as fast. It is at most seven tenths of the limit.
func Reserve(limit, late time.Duration) time.Duration {
	const ms = time.Millisecond
	return max(0, min(min(limit/10, 300*ms)+max(15*ms, 3*late, 6*late-40*ms), limit*7/10))
}
