//go:build unix

package opening

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write beyond the file size limit an error.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
