//go:build !linux

package program

import (
	"os/exec"
	"runtime"
)

// Without /proc the processor time and memory of a child are not known before it
// ends. What is killed is its group where there are groups.

// detach makes the command start in a process group of its own, where there are
// such.
func detach(cmd *exec.Cmd) { ownGroup(cmd) }

// Tree is a process, with its group where there are groups.
type Tree struct{ root int }

// NewTree watches a process of the given number, made by a command that was
// detached.
func NewTree(root int) *Tree { return &Tree{root} }

// Scan does nothing here.
func (t *Tree) Scan() {}

// Refresh does nothing here.
func (t *Tree) Refresh() {}

// Usage is not known here.
func (t *Tree) Usage() Usage { return Usage{} }

// Kill kills the process and its group.
func (t *Tree) Kill() { killGroup(t.root) }

// KillOrphans does nothing where orphans cannot be found.
func KillOrphans() {}

// OwnSpace is the memory that this process has from the system.
func OwnSpace() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
