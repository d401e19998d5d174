package engine_test

import (
	"testing"
	"time"

	"endwise/engine"
)

// On an idle machine, which is late by some milliseconds while all processors search, most
// of a limit is used for search. On a machine with long wake-up delays the reserve grows,
// and at least three tenths of the limit are used.
func TestReserve(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		limit, late   time.Duration
		least, atMost float64 // bounds of the searched share of the limit
	}{
		{100 * ms, 0, 0.6, 0.8},
		{100 * ms, 10 * ms, 0.6, 0.7},
		{500 * ms, 0, 0.8, 0.9},
		{500 * ms, 15 * ms, 0.8, 0.9},
		{500 * ms, 40 * ms, 0.4, 0.6},
		{3 * time.Second, 40 * ms, 0.8, 0.9},
		{time.Minute, 0, 0.99, 1},
		{100 * ms, time.Second, 0.3, 0.31},
		{ms, 0, 0.3, 0.31},
	} {
		if d := float64(c.limit-engine.Reserve(c.limit, c.late)) / float64(c.limit); d < c.least || d > c.atMost {
			t.Errorf("of %v, late by %v: %.2f is searched, want %.2f to %.2f", c.limit, c.late, d, c.least, c.atMost)
		}
	}
	if d := engine.Reserve(-time.Second, time.Second); d != 0 {
		t.Errorf("a reserve of %v without time", d)
	}
}
