//go:build unix

package book

import (
	"syscall"
	"time"
)

// HasProcessorTime reports whether the system measures processor time.
const HasProcessorTime = true

// ProcessorTime returns the processor time of all threads of the process, or 0 if it cannot be measured.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
