package engine

import (
	"sync"
	"time"
)

// WakeDelay says how late things happen in this process. On a machine with more
// work than processors a goroutine whose time has come waits for its turn, for
// tens of milliseconds and more; what is kept back of a move's time must cover
// that. What counts is the second worst delay within the window: a single one,
// as when the process is stopped for a moment, says nothing of the next, and
// two do. The zero value is ready for use.
type WakeDelay struct {
	sleep  func(time.Duration) // nil for systemSleep
	mu     sync.Mutex
	delays []delay // within the window, the oldest first
}

// delay is how late something was that happened at a moment.
type delay struct {
	late time.Duration
	at   time.Time
}

// MachineWakeDelay is how late the machine wakes this process up. All games measure
// it while a player thinks, and a process keeps back what it expects once: by
// waiting for that player's answer with Until.
var MachineWakeDelay WakeDelay

// NewWakeDelay measures by another sleep than the operating system's: for tests on a
// clock of their own.
func NewWakeDelay(sleep func(time.Duration)) *WakeDelay { return &WakeDelay{sleep: sleep} }

const (
	// wakeDelayWindow is how far back measurements count.
	wakeDelayWindow = 10 * time.Second
	// usualDelay is what an idle machine needs to wake somebody up: no delay.
	usualDelay = 200 * time.Microsecond
	// lateTimer is by how much a timer may be late that nothing urgent hangs on.
	lateTimer = 100 * time.Millisecond
	// look is how often Until looks at the clock, and at how late that is.
	look = 2 * time.Millisecond
)

// Until waits until done is closed or it is due, and reports whether it is done.
// due says when, as late as the machine is by now. The second half of the time is
// slept through in short pieces, to know how late that is.
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

// Sleep stops the calling goroutine for about d and measures how late it wakes
// up. It sleeps in the operating system where that can be had, not on a timer of
// the Go runtime: with two threads thinking beside four busy processes on two
// processors a timer's goroutine runs after 1 to 4 ms (median; 20 to 110 ms in one
// case of a hundred), because threads must wake each other first, a sleeping
// thread after 0.1 ms (5 to 80 ms).
func (l *WakeDelay) Sleep(d time.Duration) {
	due, sleep := time.Now().Add(d), l.sleep
	if sleep == nil {
		sleep = systemSleep
	}
	sleep(d)
	now := time.Now()
	l.Note(now.Sub(due), now)
}

// Note takes a measurement: something happened now that was due so much
// earlier. What is early or nearly on time is no delay; several that were due at the
// same time have had the same one.
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

// forget drops what is older than the window.
func (l *WakeDelay) forget(now time.Time) {
	old := 0
	for old < len(l.delays) && now.Sub(l.delays[old].at) > wakeDelayWindow {
		old++
	}
	l.delays = append(l.delays[:0], l.delays[old:]...)
}

// Expected is by how much what is due from now on may be late.
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
