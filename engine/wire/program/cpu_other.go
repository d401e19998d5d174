//go:build !unix && !windows

package program

import "time"

var processStart = time.Now()

// OwnCPU returns the time since this process began, because its processor time is unknown on this system.
func OwnCPU() time.Duration { return time.Since(processStart) }
