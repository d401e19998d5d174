package book

import (
	"context"
	"sync"
	"time"
)

// lateness is how late the machine wakes this process up, measured while it
// thinks: on a machine that is busy with other work a timer may fire tens of
// milliseconds late, and what is kept back of a move's time has to cover it.
type lateness struct {
	mu    sync.Mutex
	worst time.Duration
	at    time.Time // when worst was measured
}

// machine is the lateness that all lookups of the process have measured.
var machine lateness

const (
	// latenessSample is how long a measurement sleeps.
	latenessSample = 10 * time.Millisecond
	// latenessHalf is after what time a measurement counts half.
	latenessHalf = 10 * time.Second
)

// watch measures until the context ends.
func (l *lateness) watch(ctx context.Context) {
	t := time.NewTicker(latenessSample)
	defer t.Stop()
	due := time.Now().Add(latenessSample)
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			now := time.Now()
			l.note(now.Sub(due), now)
			due = now.Add(latenessSample)
		}
	}
}

// note takes a measurement.
func (l *lateness) note(late time.Duration, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if late > l.faded(now) {
		l.worst, l.at = late, now
	}
}

// faded is the worst measurement, less the longer ago it is.
func (l *lateness) faded(now time.Time) time.Duration {
	half := int(now.Sub(l.at) / latenessHalf)
	if half < 0 || half > 20 {
		return 0
	}
	return l.worst >> half
}

// expected is how late the process may be woken.
func (l *lateness) expected(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.faded(now)
}
