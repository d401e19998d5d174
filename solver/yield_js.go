package solver

import (
	"runtime"
	"time"
)

var yielded time.Time

// Yield lets timers and other goroutines run, every few milliseconds.
func Yield() {
	if now := time.Now(); now.Sub(yielded) > 4*time.Millisecond {
		yielded = now
		runtime.Gosched()
	}
}
