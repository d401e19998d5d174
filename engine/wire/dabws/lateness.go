package dabws

import (
	"sync"
	"time"
)

// lateness measures how late things happen in this process. On a machine
// with more work than processors a goroutine whose time has come waits for
// its turn, for tens of milliseconds and more; so does the one that reads a
// message, the one that sends the answer, and each thread of a search that
// has been asked to stop. What was seen of late is kept back from the time
// limits.
type lateness struct {
	mu     sync.Mutex
	waking time.Duration // how late a sleeping goroutine wakes up
	homing time.Duration // how long a player takes that was asked to stop
}

// heartbeat is how often an agent that waits for its player wakes up, to look
// at the clock and at how late it is.
const heartbeat = 5 * time.Millisecond

// woke takes note of how late a goroutine woke up. The longest delay counts,
// and fades within some seconds of thinking.
func (p *lateness) woke(late time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waking = max(late, p.waking-p.waking/400)
}

// home takes note of how long after it should have stopped a player answered;
// negative where it was earlier.
func (p *lateness) home(late time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.homing = max(late, p.homing-p.homing/10)
}

// schedule says at what times after the arrival of a message a player must
// stop thinking, and at the latest an answer goes out. Three wakings are kept
// back before the end of the limit: of the goroutine that read the message, of
// this one and of the one that waits for the answer at the other end; and
// before that what the player takes to come home.
func (a *Agent) schedule(limit time.Duration) (stop, last time.Duration) {
	m := a.Margin
	if m <= 0 {
		m = 20*time.Millisecond + limit/20
	}
	m = min(m, limit/2)
	a.lateness.mu.Lock()
	waking, homing := a.lateness.waking, a.lateness.homing
	a.lateness.mu.Unlock()
	last = max(limit-m/2-2*waking, limit/4)
	stop = max(min(limit-m-3*waking, last-m/4)-homing, limit/10)
	return stop, last
}
