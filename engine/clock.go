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

// TimeIsUp reports whether ctx has ended with the cause context.DeadlineExceeded.
func TimeIsUp(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// Clock is the time for a move. The zero value sets no limit.
type Clock struct {
	// Deadline is the time at which the player must have returned; zero for none. The protocol
	// has subtracted the time of the network. The player subtracts [Reserve].
	Deadline time.Time
	// MoveTime is the intended time for this move; zero means the time until Deadline.
	MoveTime time.Duration

	begun time.Time // zero before Begin
}

// Begin returns the clock with MoveTime running from now on.
func (c Clock) Begin() Clock {
	c.begun = time.Now()
	return c
}

// Later returns the clock with its deadline and the end of MoveTime postponed by d. The clock
// must have a deadline, and Begin must have been called.
func (c Clock) Later(d time.Duration) Clock {
	c.Deadline, c.begun = c.Deadline.Add(d), c.begun.Add(d)
	return c
}

// ClockFor returns a clock for a move of at most d from now.
func ClockFor(d time.Duration) Clock {
	return Clock{Deadline: time.Now().Add(d), MoveTime: d}
}

// Remaining returns the time until the deadline or the end of MoveTime, whichever is earlier. It is
// negative afterwards. ok is false if there is no limit.
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

// Reserve returns the part at the end of a move's time limit in which a player does not search: when
// it begins, searches are stopped; when three quarters of it are left, a player answers without
// searches that still run; when two thirds are left, [AskInTime] returns the latest decision that the
// player has reported.
//
// The reserve is a tenth of the limit, at most 300 ms, plus the time to stop a search and to deliver
// the answer. This time is three times delay, the expected wake-up delay ([WakeDelay]), because the
// search, the bot and the reader of the bot's answer may each wake up late. It is at least 15 ms. The
// part of delay above 13⅓ ms counts twice. The reserve is at most seven tenths of the limit.
func Reserve(limit, delay time.Duration) time.Duration {
	const ms = time.Millisecond
	return max(0, min(min(limit/10, 300*ms)+max(15*ms, 3*delay, 6*delay-40*ms), limit*7/10))
}
