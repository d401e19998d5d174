//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write beyond the file size limit an error, that
// can be reported, where it would end the process.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
