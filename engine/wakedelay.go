package engine

import (
	"sync"
	"time"
)

// WakeDelay measures how late the system wakes this process. On a machine with more work
// than processors, a goroutine that is due may wait tens of milliseconds or more; the
// reserve of a move's time must cover this delay. The relevant value is the second largest
// delay within the window: a single delay, for instance because the process was stopped for
// a moment, does not predict others. The zero value is ready for use.
type WakeDelay struct {
	sleep  func(time.Duration) // nil means systemSleep
	mu     sync.Mutex
	delays []delay // within the window, oldest first
}

// delay is the delay of an event and the time when it happened.
type delay struct {
	late time.Duration
	at   time.Time
}

// MachineWakeDelay is the wake-up delay of this process. Each wait for a player's answer
// measures it with Until; the players themselves use [Reserve] with the expected delay.
var MachineWakeDelay WakeDelay

// NewWakeDelay returns a WakeDelay that measures another sleep function, for tests with a
// fake clock.
func NewWakeDelay(sleep func(time.Duration)) *WakeDelay { return &WakeDelay{sleep: sleep} }

const (
	// wakeDelayWindow is the time for which measurements count.
	wakeDelayWindow = 10 * time.Second
	// usualDelay is the longest delay of an idle machine, which is not recorded.
	usualDelay = 200 * time.Microsecond
	// lateTimer is the delay that Until expects of a timer of the Go runtime.
	lateTimer = 100 * time.Millisecond
	// pollInterval is the interval at which Until checks the time.
	pollInterval = 2 * time.Millisecond
)

// Until waits until done is closed or the time due is reached, and reports whether done is
// closed. due is called with the delay expected at the moment. The first half of the wait
// uses a timer, the second half short sleeps, which measure the delay.
func (w *WakeDelay) Until(done <-chan struct{}, due func(late time.Duration) time.Time) bool {
	now := time.Now()
	select {
	case <-done:
		return true
	case <-time.After(due(w.Expected(now)).Sub(now)/2 - lateTimer):
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

// Sleep stops the calling goroutine for about d and records how late it wakes up. It uses
// the operating system's sleep if available instead of a timer of the Go runtime: a timer's
// goroutine starts later, because threads must first wake each other.
func (w *WakeDelay) Sleep(d time.Duration) {
	due, sleep := time.Now().Add(d), w.sleep
	if sleep == nil {
		sleep = systemSleep
	}
	sleep(d)
	now := time.Now()
	w.Note(now.Sub(due), now)
}

// Note records that an event happened at now, the duration late after it was due. Early
// events and delays up to usualDelay are ignored. An event that was due before the previous
// one happened counts with it as one delay, the longer one.
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

// forget drops delays older than the window.
func (w *WakeDelay) forget(now time.Time) {
	old := 0
	for old < len(w.delays) && now.Sub(w.delays[old].at) > wakeDelayWindow {
		old++
	}
	w.delays = append(w.delays[:0], w.delays[old:]...)
}

// Expected returns the delay to plan for: the second largest in the window.
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
