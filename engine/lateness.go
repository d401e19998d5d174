package engine

import (
	"context"
	"sync"
	"time"
)

// Lateness says how late things happen in this process. On a machine with more
// work than processors a goroutine whose time has come waits for its turn, for
// tens of milliseconds and more; what is kept back of a move's time must cover
// that. What counts is the second worst delay within the window: a single one,
// as when the process is stopped for a moment, says nothing of the next, and
// two do. The zero value is ready for use.
type Lateness struct {
	mu     sync.Mutex
	delays []delay // within the window, the oldest first
}

// delay is how late something was that happened at a moment.
type delay struct {
	late time.Duration
	at   time.Time
}

// MachineLateness is how late the machine wakes this process up. All games
// measure it and keep back what it expects.
var MachineLateness Lateness

const (
	// latenessWindow is how far back measurements count.
	latenessWindow = 10 * time.Second
	// latenessSample is how long a measurement of Watch sleeps.
	latenessSample = 10 * time.Millisecond
)

// Watch measures how late a sleeping goroutine wakes up, until the context
// ends.
func (l *Lateness) Watch(ctx context.Context) {
	t := time.NewTimer(latenessSample)
	defer t.Stop()
	for due := time.Now().Add(latenessSample); ; due = time.Now().Add(latenessSample) {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			now := time.Now()
			l.Note(now.Sub(due), now)
			t.Reset(latenessSample)
		}
	}
}

// Note takes a measurement: something happened now that was due so much
// earlier. What is early or on time is no delay; several that were due at the
// same time have had the same one.
func (l *Lateness) Note(late time.Duration, now time.Time) {
	if late <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.delays); n > 0 && now.Add(-late).Before(l.delays[n-1].at) {
		l.delays[n-1].late = max(l.delays[n-1].late, late)
		return
	}
	l.forget(now)
	l.delays = append(l.delays, delay{late, now})
}

// forget drops what is older than the window.
func (l *Lateness) forget(now time.Time) {
	old := 0
	for old < len(l.delays) && now.Sub(l.delays[old].at) > latenessWindow {
		old++
	}
	l.delays = append(l.delays[:0], l.delays[old:]...)
}

// Expected is by how much what is due from now on may be late.
func (l *Lateness) Expected(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(now)
	var worst, second time.Duration
	for _, d := range l.delays {
		if d.late > worst {
			worst, second = d.late, worst
		} else {
			second = max(second, d.late)
		}
	}
	return second
}
