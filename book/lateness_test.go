package book

import (
	"context"
	"testing"
	"time"
)

func TestLatenessFades(t *testing.T) {
	var l lateness
	now := time.Now()
	if d := l.expected(now); d != 0 {
		t.Errorf("%v before anything is measured", d)
	}
	l.note(80*time.Millisecond, now)
	l.note(20*time.Millisecond, now.Add(time.Second)) // less than is expected already
	for _, c := range []struct{ after, want time.Duration }{
		{0, 80 * time.Millisecond}, {latenessHalf - 1, 80 * time.Millisecond}, {latenessHalf, 40 * time.Millisecond},
		{2 * latenessHalf, 20 * time.Millisecond}, {time.Hour, 0},
	} {
		if d := l.expected(now.Add(c.after)); d != c.want {
			t.Errorf("%v after %v, want %v", d, c.after, c.want)
		}
	}
	l.note(50*time.Millisecond, now.Add(latenessHalf)) // more than is left of the first
	if d := l.expected(now.Add(latenessHalf)); d != 50*time.Millisecond {
		t.Errorf("%v, want the newer measurement", d)
	}
}

func TestLatenessIsMeasured(t *testing.T) {
	var l lateness
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { l.watch(ctx); close(done) }()
	// No timer is exact.
	for l.expected(time.Now()) == 0 {
		time.Sleep(latenessSample)
	}
	cancel()
	<-done
}

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
