//go:build unix && !linux

package program

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command start in its own process group, so that the program can be killed
// together with its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(root int) { _ = syscall.Kill(-root, syscall.SIGKILL) }
