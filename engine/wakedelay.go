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
	// lateTimer is the delay allowed for a non-urgent timer.
	lateTimer = 100 * time.Millisecond
	// look is the interval at which Until checks the time.
	look = 2 * time.Millisecond
)

// Until waits until done is closed or a time is reached, and reports whether done is
// closed. due returns the time for an expected delay. The second half of the wait consists
// of short sleeps, which measure the delay.
func (l *WakeDelay) Until(done <-chan struct{}, due func(late time.Duration) time.Time) bool {
	now := time.Now()
	select {
	case <-done:
		return true
	case <-time.After(due(l.Expected(now)).Sub(now)/2 - lateTimer):
	}
	for {
		select {
		case <-done:
			return true
		default:
		}
		if now := time.Now(); !now.Before(due(l.Expected(now))) {
			return false
		}
		l.Sleep(look)
	}
}

// Sleep stops the calling goroutine for about d and records how late it wakes up. It uses
// the operating system's sleep if available instead of a timer of the Go runtime: a timer's
// goroutine starts later, because threads must first wake each other.
func (l *WakeDelay) Sleep(d time.Duration) {
	due, sleep := time.Now().Add(d), l.sleep
	if sleep == nil {
		sleep = systemSleep
	}
	sleep(d)
	now := time.Now()
	l.Note(now.Sub(due), now)
}

// Note records that an event that was due the duration late ago happened at now. Early
// events and delays up to usualDelay are ignored. Several events that were due at the same
// time count as one delay.
func (l *WakeDelay) Note(late time.Duration, now time.Time) {
	if late <= usualDelay {
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

// forget drops delays older than the window.
func (l *WakeDelay) forget(now time.Time) {
	old := 0
	for old < len(l.delays) && now.Sub(l.delays[old].at) > wakeDelayWindow {
		old++
	}
	l.delays = append(l.delays[:0], l.delays[old:]...)
}

// Expected returns the delay to plan for: the second largest in the window.
func (l *WakeDelay) Expected(now time.Time) time.Duration {
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
