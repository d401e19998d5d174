package solver

import (
	"sync/atomic"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The bounds meet at the value for every estimate and however tight the returned bounds
// are. If atLeast stops early, they enclose the value.
func TestNarrowFindsTheValue(t *testing.T) {
	for value := -7; value <= 7; value += 2 {
		for estimate := -9; estimate <= 9; estimate += 2 {
			for slack := 0; slack <= 4; slack += 2 {
				for stop := range 8 {
					calls := 0
					got := Bounds{-7, 7}.Narrow(estimate, func(at int) (int, bool) {
						if calls++; calls > stop {
							return 99, false
						}
						if at < -5 || at > 7 || at&1 == 0 {
							t.Fatalf("value %d, estimate %d: called with threshold %d", value, estimate, at)
						}
						if value >= at {
							return min(value, at+slack), true
						}
						return max(value, at-2-slack), true
					}, nil)
					if got.Lower > value || got.Upper < value || calls <= stop && !got.Exact() {
						t.Errorf("value %d, estimate %d, %d calls: %v", value, estimate, calls, got)
					}
				}
			}
		}
	}
	lower := Bounds{-7, 7}.Narrow(1, func(at int) (int, bool) { return at, true }, func(b Bounds) bool { return b.Lower >= 3 })
	if lower != (Bounds{3, 7}) {
		t.Errorf("stopped at a lower bound of 3: %v", lower)
	}
}

// A panic of one thread reaches the goroutine that calls Wait, after all have returned.
func TestThreadPanicsReachWait(t *testing.T) {
	var threads Threads
	var returned atomic.Int32
	threads.Go(func() { panic("out of bounds") })
	for range 3 {
		threads.Go(func() { returned.Add(1) })
	}
	defer func() {
		if v := recover(); v != "out of bounds" || returned.Load() != 3 {
			t.Errorf("Wait panics with %v after %d threads", v, returned.Load())
		}
	}()
	threads.Wait()
	t.Error("Wait returned")
}
