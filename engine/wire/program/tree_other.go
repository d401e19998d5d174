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

func NewTree(root int) *Tree { return &Tree{root} }

func (t *Tree) Scan() {}

func (t *Tree) Refresh() {}

func (t *Tree) Usage() Usage { return Usage{} }

func (t *Tree) Kill() { killGroup(t.root) }

func KillOrphans() {}

// OwnSpace returns the memory, in bytes, that the Go runtime has obtained from the system.
func OwnSpace() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
