//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write beyond the file size limit return an error; by default
// it would end the process.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
