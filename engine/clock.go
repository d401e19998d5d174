package engine

import (
	"context"
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

// Clock is what a player may spend, as the protocols see it (wire/cwbot/clock.go,
// wire/dabws/clock.go, wire/wyb/pace.go). The zero value sets no limit.
type Clock struct {
	// Deadline is when the answer must have been given; zero for none.
	Deadline time.Time
	// MoveTime is what the player should aim to spend on this move; zero
	// means as much as the deadline allows.
	MoveTime time.Duration
}

// ClockFor is a clock for a move of at most d from now.
func ClockFor(d time.Duration) Clock {
	return Clock{Deadline: time.Now().Add(d), MoveTime: d}
}

// Remaining is the time left until the deadline, or until MoveTime is spent
// if that is shorter; ok is false when there is no limit. A passed deadline
// gives a value at or below zero.
func (c Clock) Remaining() (d time.Duration, ok bool) {
	if c.Deadline.IsZero() {
		return c.MoveTime, c.MoveTime > 0
	}
	d = time.Until(c.Deadline)
	if c.MoveTime > 0 && c.MoveTime < d {
		d = c.MoveTime
	}
	return d, true
}
