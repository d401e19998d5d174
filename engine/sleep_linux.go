package engine

import (
	"syscall"
	"time"
)

// systemSleep returns after d or, where a signal comes, earlier. Tests replace it.
var systemSleep = func(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil)
}
