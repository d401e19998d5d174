package book

import (
	"testing"
	"time"
)

// What is kept back covers the lateness, but never more than six tenths of the time.
func TestReserveCoversLateness(t *testing.T) {
	for _, c := range []struct{ left, late, want time.Duration }{
		{600 * time.Millisecond, 0, 100 * time.Millisecond},
		{600 * time.Millisecond, 40 * time.Millisecond, 200 * time.Millisecond},
		{600 * time.Millisecond, time.Second, 360 * time.Millisecond},
		{3 * time.Second, 0, maxReserve},
		{3 * time.Second, 100 * time.Millisecond, maxReserve + 250*time.Millisecond},
		{-time.Second, time.Second, 0},
	} {
		if d := reserve(c.left, c.late); d != c.want {
			t.Errorf("of %v with a lateness of %v: %v kept back, want %v", c.left, c.late, d, c.want)
		} else if g := grace(d, c.late); d > 0 && (g <= 0 || g >= d) {
			t.Errorf("of %v kept back with a lateness of %v: %v left for the answer that stands by", d, c.late, g)
		}
	}
}
