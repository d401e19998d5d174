//go:build !linux

package program

import (
	"os/exec"
	"runtime"
)

// Without /proc the processor time and memory of a child are unknown before it ends. Kill
// kills its process group if the system has groups.

// detach makes the command start in its own process group if the system has groups.
func detach(cmd *exec.Cmd) { ownGroup(cmd) }

// Tree is a process, with its process group if the system has groups.
type Tree struct{ root int }

// NewTree returns the tree of the process with the pid root, started by a command that was
// detached.
func NewTree(root int) *Tree { return &Tree{root} }

// Scan does nothing on this system.
func (t *Tree) Scan() {}

// Refresh does nothing on this system.
func (t *Tree) Refresh() {}

// Usage returns zero, because the usage is unknown on this system.
func (t *Tree) Usage() Usage { return Usage{} }

// Kill kills the process and its group.
func (t *Tree) Kill() { killGroup(t.root) }

// KillOrphans does nothing, because this system does not list orphans.
func KillOrphans() {}

// OwnSpace returns the memory, in bytes, that the Go runtime has obtained from the system. The
// resident memory is unknown on this system.
func OwnSpace() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
