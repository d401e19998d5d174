package solver

import (
	"runtime"
	"time"
)

// yielded is the time of the last call of Gosched by [Yield].
var yielded time.Time

// Yield runs timers and other goroutines every few milliseconds in a browser, which has
// one thread and no preemption; elsewhere it does nothing. Searches call it where they
// check whether to stop.
func Yield() {
	if runtime.GOOS != "js" {
		return
	}
	if now := time.Now(); now.Sub(yielded) > 4*time.Millisecond {
		yielded = now
		runtime.Gosched()
	}
}
