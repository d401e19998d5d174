package dabws

import (
	"time"

	"endwise/engine"
)

// heartbeat is how often an agent that waits for its player wakes up, to look
// at the clock and at how late it is.
const heartbeat = 5 * time.Millisecond

// schedule says at what times after the arrival of a message a player must
// stop thinking, and at the latest an answer goes out. Three wakings are kept
// back before the end of the limit: of the goroutine that read the message, of
// this one and of the one that waits for the answer at the other end; and
// before that what the player takes to come home.
func (a *Agent) schedule(limit time.Duration, now time.Time) (stop, last time.Duration) {
	m := a.Margin
	if m <= 0 {
		m = 20*time.Millisecond + limit/20
	}
	m = min(m, limit/2)
	waking := engine.MachineLateness.Expected(now)
	last = max(limit-m/2-2*waking, limit/4)
	stop = max(min(limit-m-3*waking, last-m/4)-a.homing.Expected(now), limit/10)
	return stop, last
}
