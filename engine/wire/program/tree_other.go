//go:build !linux

package program

import (
	"os/exec"
	"runtime"
	"sync"
)

// detach makes the command start in its own process group if the system has groups.
func detach(cmd *exec.Cmd) { ownGroup(cmd) }

// Tree is a process, with its process group if the system has groups.
type Tree struct{ root int }

// running contains the trees that have not been killed, as keys.
var running sync.Map

func NewTree(root int) *Tree {
	t := &Tree{root}
	running.Store(t, nil)
	return t
}

func (t *Tree) Scan() {}

func (t *Tree) Refresh() {}

func (t *Tree) Usage() Usage { return Usage{} }

func (t *Tree) Kill() {
	running.Delete(t)
	killGroup(t.root)
}

// KillOrphans kills all programs that are still running.
func KillOrphans() {
	running.Range(func(t, _ any) bool {
		t.(*Tree).Kill()
		return true
	})
}

// OwnSpace returns the memory, in bytes, that the Go runtime has obtained from the system.
func OwnSpace() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
