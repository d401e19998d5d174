package solver

import (
	"runtime"
	"time"
)

// yielded is the time of the last call of Gosched by [Yield]. It is used only in a browser. No
// lock is needed there, because all goroutines share one thread without preemption.
var yielded time.Time

// Yield lets timers and other goroutines run in a browser, which has one thread and no preemption,
// at most once every 4 ms. Elsewhere it does nothing. Searches call Yield when they check whether to
// stop.
func Yield() {
	if runtime.GOOS != "js" {
		return
	}
	if now := time.Now(); now.Sub(yielded) > 4*time.Millisecond {
		yielded = now
		runtime.Gosched()
	}
}
