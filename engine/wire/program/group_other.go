//go:build !unix

package program

import (
	"os"
	"os/exec"
)

// ownGroup does nothing; on this system only the program itself can be killed.
func ownGroup(*exec.Cmd) {}

// killGroup kills the program, if it has not ended.
func killGroup(root int) {
	if p, err := os.FindProcess(root); err == nil {
		_ = p.Kill()
	}
}
