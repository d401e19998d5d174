package solver

import (
	"runtime"
	"time"
)

// yielded is the time of the last call of Gosched by [Yield]. It needs no lock: it is used
// only in a browser, where all goroutines share one thread without preemption.
var yielded time.Time

// Yield lets timers and other goroutines run, at most once every 4 ms. Searches call it when
// they check whether to stop. It is needed in a browser, which has one thread and no
// preemption; elsewhere it does nothing.
func Yield() {
	if runtime.GOOS != "js" {
		return
	}
	if now := time.Now(); now.Sub(yielded) > 4*time.Millisecond {
		yielded = now
		runtime.Gosched()
	}
}
