//go:build !linux

package program

import (
	"os/exec"
	"runtime"
)

// detach makes the command start in its own process group if the system has groups.
func detach(cmd *exec.Cmd) { ownGroup(cmd) }

// Tree is a process, with its process group if the system has groups.
type Tree struct{ root int }

// NewTree returns the tree of the process with the pid root.
func NewTree(root int) *Tree { return &Tree{root} }

// Scan does nothing on this system.
func (t *Tree) Scan() {}

// Refresh does nothing on this system.
func (t *Tree) Refresh() {}

// Usage returns zero on this system.
func (t *Tree) Usage() Usage { return Usage{} }

// Kill kills the process and its group.
func (t *Tree) Kill() { killGroup(t.root) }

// KillOrphans does nothing on this system.
func KillOrphans() {}

// OwnSpace returns the memory, in bytes, that the Go runtime has obtained from the system.
func OwnSpace() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
