//go:build unix

package book

import (
	"syscall"
	"time"
)

// HasProcessorTime says whether the system tells processor time.
const HasProcessorTime = true

// ProcessorTime is what the process has used so far, all threads together; 0
// where the system does not tell.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
