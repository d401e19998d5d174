package solver

import (
	"runtime"
	"time"
)

var yielded time.Time

// Yield lets timers and other goroutines run, every few milliseconds, where nothing else
// does: in a browser, which has one thread and no preemption. Searches call it wherever
// they look whether they are to end.
func Yield() {
	if runtime.GOOS != "js" {
		return
	}
	if now := time.Now(); now.Sub(yielded) > 4*time.Millisecond {
		yielded = now
		runtime.Gosched()
	}
}
