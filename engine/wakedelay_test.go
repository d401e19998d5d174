package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWakeDelay(t *testing.T) {
	const ms = time.Millisecond
	start := time.Now()
	type note struct{ at, late time.Duration }
	for _, c := range []struct {
		name      string
		notes     []note
		at, wants time.Duration
	}{
		{"nothing measured", nil, 0, 0},
		{"one delay is an accident", []note{{0, 300 * ms}, {10 * ms, ms}, {20 * ms, ms}}, 20 * ms, ms},
		{"two are not", []note{{0, 300 * ms}, {time.Second, 200 * ms}, {1100 * ms, ms}}, 2 * time.Second, 200 * ms},
		{"all see the same one", []note{{0, 295 * ms}, {ms, 300 * ms}, {2 * ms, 290 * ms}}, 2 * ms, 0},
		{"a busy machine", []note{{0, 20 * ms}, {30 * ms, 22 * ms}, {60 * ms, 18 * ms}, {90 * ms, 21 * ms}}, 90 * ms, 21 * ms},
		{"early is not late", []note{{0, -300 * ms}, {time.Second, -200 * ms}}, time.Second, 0},
		{"forgotten after seconds", []note{{0, 300 * ms}, {time.Second, 200 * ms}}, 11*time.Second - ms, 0},
		{"though nothing is measured since", []note{{0, 300 * ms}, {time.Second, 200 * ms}}, time.Hour, 0},
		{"but not before", []note{{0, 300 * ms}, {time.Second, 200 * ms}}, 10*time.Second - ms, 200 * ms},
	} {
		var l WakeDelay
		for _, n := range c.notes {
			l.Note(n.late, start.Add(n.at))
		}
		if got := l.Expected(start.Add(c.at)); got != c.wants {
			t.Errorf("%s: %v, want %v", c.name, got, c.wants)
		}
	}
}

// Sleep measures how late the system wakes it.
func TestSleepMeasuresTheWakeDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late time.Duration
		l := NewWakeDelay(func(d time.Duration) { time.Sleep(d + late) })
		for _, late = range []time.Duration{0, 30 * time.Millisecond, 0, 20 * time.Millisecond} {
			l.Sleep(5 * time.Millisecond)
		}
		if late := l.Expected(time.Now()); late != 20*time.Millisecond {
			t.Errorf("after delays of 30 and 20 ms: %v", late)
		}
	})
}
