//go:build unix && !linux

package program

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the program in a process group of its own, so that it can
// be ended with what it has started.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the process group. An error means that nothing is left of it.
func killGroup(root int) { _ = syscall.Kill(-root, syscall.SIGKILL) }
