package solver

import (
	"runtime"
	"time"
)

// yielded is the time of the last call of Gosched by [Yield].
var yielded time.Time

// Yield lets timers and other goroutines run. Searches call it when they check whether to stop.
// It is needed in a browser, which has one thread and no preemption; elsewhere it does
// nothing.
func Yield() {
	if runtime.GOOS != "js" {
		return
	}
	if now := time.Now(); now.Sub(yielded) > 4*time.Millisecond {
		yielded = now
		runtime.Gosched()
	}
}
