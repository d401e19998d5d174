//go:build !linux

package engine

import "time"

// systemSleep returns after d. Tests replace it.
var systemSleep = time.Sleep
