//go:build !unix && !windows

package program

import "time"

var processStart = time.Now()

// OwnCPU is the time since this process began: its processor time is not known.
func OwnCPU() time.Duration { return time.Since(processStart) }
