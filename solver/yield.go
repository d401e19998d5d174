package solver

import (
	"runtime"
	"time"
)

// yielded is the time of the last call of Gosched. It needs no lock, because in a browser all
// goroutines share one thread without preemption.
var yielded time.Time

// Yield lets timers and other goroutines run, in a browser only and at most once every 4 ms.
func Yield() {
	if runtime.GOOS != "js" {
		return
	}
	if now := time.Now(); now.Sub(yielded) > 4*time.Millisecond {
		yielded = now
		runtime.Gosched()
	}
}
