package engine

import (
	"sync"
	"time"
)

// WakeDelay measures the delay with which the system wakes this process. The zero value is ready for use.
//
// The expected delay is the second largest one of the last ten seconds. The largest one does not
// count, because a single delay often has another cause.
type WakeDelay struct {
	sleep  func(time.Duration) // nil means systemSleep
	mu     sync.Mutex
	delays []delay // within the window, oldest first
}

// delay is a delay and the time at which the delayed event happened.
type delay struct {
	late time.Duration
	at   time.Time
}

// MachineWakeDelay is the wake-up delay of this process.
var MachineWakeDelay WakeDelay

// NewWakeDelay returns a WakeDelay that measures another sleep function, for tests.
func NewWakeDelay(sleep func(time.Duration)) *WakeDelay { return &WakeDelay{sleep: sleep} }

const (
	wakeDelayWindow = 10 * time.Second
	usualDelay      = 200 * time.Microsecond // delays up to it are not recorded
	timerDelay      = 100 * time.Millisecond // allowed for a timer of the Go runtime
	pollInterval    = 2 * time.Millisecond
)

// Until waits until done is closed or the time that due returns is reached, and reports whether
// done is closed. It calls due repeatedly with the expected delay. The first half of the wait is one
// timer, with a margin for its own delay; the rest is a series of short calls to Sleep.
func (w *WakeDelay) Until(done <-chan struct{}, due func(expected time.Duration) time.Time) bool {
	now := time.Now()
	select {
	case <-done:
		return true
	case <-time.After(due(w.Expected(now)).Sub(now)/2 - timerDelay):
	}
	for {
		select {
		case <-done:
			return true
		default:
		}
		if now := time.Now(); !now.Before(due(w.Expected(now))) {
			return false
		}
		w.Sleep(pollInterval)
	}
}

// Sleep stops the calling goroutine for about d and records the delay with which it wakes up. It uses
// the sleep of the operating system, if available, which is more punctual than a timer.
func (w *WakeDelay) Sleep(d time.Duration) {
	due, sleep := time.Now().Add(d), w.sleep
	if sleep == nil {
		sleep = systemSleep
	}
	sleep(d)
	now := time.Now()
	w.Note(now.Sub(due), now)
}

// Note records that an event happened at the time now, with the delay late, if late is more than
// usualDelay. If the event was due before the previous event happened, the two count as one delay,
// the longer one.
func (w *WakeDelay) Note(late time.Duration, now time.Time) {
	if late <= usualDelay {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.delays); n > 0 && now.Add(-late).Before(w.delays[n-1].at) {
		w.delays[n-1].late = max(w.delays[n-1].late, late)
		return
	}
	w.forget(now)
	w.delays = append(w.delays, delay{late, now})
}

// forget removes the delays that are not in the window at the time now. The lock must be held.
func (w *WakeDelay) forget(now time.Time) {
	old := 0
	for old < len(w.delays) && now.Sub(w.delays[old].at) > wakeDelayWindow {
		old++
	}
	w.delays = append(w.delays[:0], w.delays[old:]...)
}

// Expected returns the expected delay at the time now.
func (w *WakeDelay) Expected(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(now)
	var worst, second time.Duration
	for _, d := range w.delays {
		if d.late > worst {
			worst, second = d.late, worst
		} else {
			second = max(second, d.late)
		}
	}
	return second
}
