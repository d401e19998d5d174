//go:build unix

package machine

import (
	"os/signal"
	"syscall"
)

// IgnoreFileSizeSignal makes a write beyond the file size limit an error, that
// can be reported, where it would end the process.
func IgnoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
