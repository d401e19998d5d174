package engine

import (
	"syscall"
	"time"
)

// systemSleep returns after d, or earlier after a signal.
func systemSleep(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil)
}
