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

	begun time.Time // when the player began to think; zero before Begin
}

// Begin returns the clock with MoveTime running from now on. Until a player calls Begin,
// MoveTime does not run.
func (c Clock) Begin() Clock {
	c.begun = time.Now()
	return c
}

// Later returns the clock with the deadline and the end of MoveTime moved by d.
func (c Clock) Later(d time.Duration) Clock {
	c.Deadline, c.begun = c.Deadline.Add(d), c.begun.Add(d)
	return c
}

// ClockFor returns a clock for a move of at most d from now.
func ClockFor(d time.Duration) Clock {
	return Clock{Deadline: time.Now().Add(d), MoveTime: d}
}

// Remaining returns the time left until the deadline or until MoveTime is used up, whichever
// is earlier; after that, d is zero or negative. ok is false if there is no limit.
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

// Reserve returns the part at the end of a move's time limit that is not used for search:
//
//   - when it begins, searches are stopped;
//   - when three quarters of it are left, a player answers without searches that still run;
//   - when two thirds are left, a bot plays the best move that the player has reported
//     ([AskInTime]).
//
// late is the delay that [WakeDelay] expects. The reserve is a tenth of the limit (at most
// 300 ms) plus the time to stop a search and to deliver the answer: three times late,
// because the search, the bot and the reader of its answer may each wake up late, but at
// least 15 ms. Above 13 ms this part grows twice as fast, because such delays mean that
// other programs compete for the processors. The reserve is at most seven tenths of the
// limit.
func Reserve(limit, late time.Duration) time.Duration {
	const ms = time.Millisecond
	return max(0, min(min(limit/10, 300*ms)+max(15*ms, 3*late, 6*late-40*ms), limit*7/10))
}
