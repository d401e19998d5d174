package engine

import (
	"context"
	"errors"
	"time"
)

// Pause waits, unless the context ends, whose error it returns then.
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

// TimeIsUp reports whether ctx has ended with the cause context.DeadlineExceeded: a player
// then answers with what it has found out.
func TimeIsUp(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// Clock is what a player may spend, as the protocols see it (wire/cwbot/clock.go,
// wire/dabws/clock.go, wire/wyb/pace.go). The zero value sets no limit.
type Clock struct {
	// Deadline is when the answer must have arrived; zero for none. A player keeps
	// Reserve back from it, a protocol only the time that its network takes.
	Deadline time.Time
	// MoveTime is what the player should aim to spend on this move; zero
	// means as much as the deadline allows.
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

// ClockFor is a clock for a move of at most d from now.
func ClockFor(d time.Duration) Clock {
	return Clock{Deadline: time.Now().Add(d), MoveTime: d}
}

// Remaining is the time left until the deadline, or until MoveTime is spent
// if that is shorter; ok is false when there is no limit. A passed deadline
// gives a value at or below zero.
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

// Reserve returns the part of a move's limit that is not searched, the only one that is
// kept back:
//
//   - when it begins, searches are stopped;
//   - when three quarters of it are left, a player answers without searches that still run;
//   - when two thirds are left, a bot plays the best move that the player has named (AskInTime).
//
// It is a tenth of the limit, and what it takes to stop a search and to hand the answer on:
// a search, a bot and the reader of its answer may each wake up as late as WakeDelay
// expects. At most two thirds of the limit are kept back.
func Reserve(limit, late time.Duration) time.Duration {
	return max(0, min(min(limit/10, 300*time.Millisecond)+max(3*late, 15*time.Millisecond), limit*2/3))
}
