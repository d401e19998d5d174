package match

import (
	"testing"
	"time"

	"endwise/engine"
)

// A player's option time is a limit: the match's time cannot extend it, and it cannot
// extend the match's.
func TestOwnTimeIsLimit(t *testing.T) {
	match := engine.ClockFor(time.Hour)
	for own, want := range map[time.Duration]time.Duration{0: time.Hour, time.Minute: time.Minute, 2 * time.Hour: time.Hour} {
		c := (&lookupPool{moveTime: own}).clock(match)
		if c.MoveTime != want || time.Until(c.Deadline) > want {
			t.Errorf("time=%v: %v to move until %v from now, want %v", own, c.MoveTime, time.Until(c.Deadline), want)
		}
	}
	if c := (&lookupPool{moveTime: time.Minute}).clock(engine.Clock{}); c.MoveTime != time.Minute || time.Until(c.Deadline) > time.Minute {
		t.Errorf("without a limit of the match: %v to move", c.MoveTime)
	}
}
