package program

import (
	"syscall"
	"time"
)

// OwnCPU returns the processor time of this process.
func OwnCPU() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var begin, end, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &begin, &end, &kernel, &user) != nil {
		return 0
	}
	// Both are durations in units of 100 ns.
	ticks := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
