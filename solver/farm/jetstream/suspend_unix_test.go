//go:build unix

package jetstream

import (
	"syscall"
	"testing"
)

// suspend suspends a process until it is resumed.
func (p *process) suspend(t *testing.T) { p.signal(t, syscall.SIGSTOP) }

func (p *process) resume(t *testing.T) { p.signal(t, syscall.SIGCONT) }
