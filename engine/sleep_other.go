//go:build !linux

package engine

import "time"

// systemSleep returns after d.
func systemSleep(d time.Duration) { time.Sleep(d) }
