//go:build unix

package main

import (
	"syscall"
	"time"
)

const hasProcessorTime = true

// processorTime is what the process has used so far, all threads together.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
