package solver

import (
	"sync/atomic"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// From any guess, and whatever the answers say beyond yes and no, the bounds
// meet at the value; stopped before, they enclose it.
func TestNarrow(t *testing.T) {
	for value := -7; value <= 7; value += 2 {
		for guess := -9; guess <= 9; guess += 2 {
			for slack := 0; slack <= 4; slack += 2 {
				for stop := range 8 {
					asked := 0
					got := Bounds{-7, 7}.Narrow(guess, func(at int) (int, bool) {
						if asked++; asked > stop {
							return 99, false
						}
						if at < -5 || at > 7 || at&1 == 0 {
							t.Fatalf("asked whether %d is at least %d, from %d", value, at, guess)
						}
						if value >= at {
							return min(value, at+slack), true
						}
						return max(value, at-2-slack), true
					}, nil)
					if got.Lower > value || got.Upper < value || asked <= stop && !got.Exact() {
						t.Errorf("%d from %d, %d answers: %v", value, guess, asked, got)
					}
				}
			}
		}
	}
	lower := Bounds{-7, 7}.Narrow(1, func(at int) (int, bool) { return at, true }, func(b Bounds) bool { return b.Lower >= 3 })
	if lower != (Bounds{3, 7}) {
		t.Errorf("done at a lower bound of 3: %v", lower)
	}
}

// A panic of one thread reaches the goroutine that waits, after all have returned.
func TestThreadsPassPanicsOn(t *testing.T) {
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
