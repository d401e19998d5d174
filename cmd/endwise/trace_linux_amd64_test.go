package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// disturbance is what happens to a process at its n-th call that writes to
// its directory, counted from 1 over all threads: it is killed just before,
// or the call fails with an error number instead.
type disturbance struct {
	n     int
	kill  bool
	errno syscall.Errno
}

func (d disturbance) String() string {
	if d.kill {
		return fmt.Sprintf("killed at write %d", d.n)
	}
	return fmt.Sprintf("write %d fails: %v", d.n, d.errno)
}

// The calls by which work reaches the disk. A crash between any two of them is
// a crash just before the second.
var writing = map[uint64]bool{
	syscall.SYS_WRITE: true, syscall.SYS_PWRITE64: true, syscall.SYS_FSYNC: true, syscall.SYS_FTRUNCATE: true,
	syscall.SYS_OPENAT: true, syscall.SYS_RENAMEAT: true, syscall.SYS_UNLINKAT: true, syscall.SYS_MKDIRAT: true,
	syscall.SYS_MSYNC: true, syscall.SYS_FALLOCATE: true,
}

// traced runs a command under ptrace with a disturbance and tells how it ended
// and how many writing calls it began. The zero disturbance only counts. The
// command must not need goroutines for its output: files only.
func traced(t *testing.T, c *exec.Cmd, d disturbance) (calls int, end syscall.WaitStatus) {
	t.Helper()
	runtime.LockOSThread() // a process is traced by one thread
	defer runtime.UnlockOSThread()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Ptrace: true}
	if err := c.Start(); err != nil {
		t.Skipf("no tracing of processes: %v", err)
	}
	defer c.Process.Release()
	pid := c.Process.Pid
	const allThreads = 0x40000000 // __WALL
	wait := func() (tid int, ws syscall.WaitStatus, ok bool) {
		for {
			tid, err := syscall.Wait4(-pid, &ws, allThreads, nil)
			if err != syscall.EINTR {
				return tid, ws, err == nil
			}
		}
	}
	if _, ws, ok := wait(); !ok || !ws.Stopped() {
		t.Fatalf("the traced process does not stop at its start: %v", ws)
	}
	const (
		options = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | 0x100000 // PTRACE_O_EXITKILL
		atCall  = syscall.SIGTRAP | 0x80
	)
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		t.Fatal(err)
	}
	inside := map[int]bool{}           // threads in a system call
	failing := map[int]syscall.Errno{} // what their call is to return
	resume := func(tid int, sig syscall.Signal) { _ = syscall.PtraceSyscall(tid, int(sig)) }
	resume(pid, 0)
	for {
		tid, ws, ok := wait()
		if !ok {
			return calls, end
		}
		switch {
		case ws.Exited() || ws.Signaled():
			if tid == pid {
				end = ws
			}
		case !ws.Stopped():
		case ws.StopSignal() == atCall:
			inside[tid] = !inside[tid]
			var regs syscall.PtraceRegs
			if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
				continue // it is gone
			}
			if inside[tid] {
				if writes(pid, c.Dir, &regs) {
					if calls++; calls == d.n {
						if d.kill {
							_ = syscall.Kill(pid, syscall.SIGKILL)
							continue
						}
						regs.Orig_rax = ^uint64(0) // no call at all
						_ = syscall.PtraceSetRegs(tid, &regs)
						failing[tid] = d.errno
					}
				}
			} else if errno := failing[tid]; errno != 0 {
				delete(failing, tid)
				regs.Rax = uint64(-int64(errno))
				_ = syscall.PtraceSetRegs(tid, &regs)
			}
			resume(tid, 0)
		case ws.StopSignal() == syscall.SIGTRAP, ws.StopSignal() == syscall.SIGSTOP:
			resume(tid, 0) // a new thread, on either side
		default:
			resume(tid, ws.StopSignal())
		}
	}
}

// writes says whether a call that begins changes the directory dir.
func writes(pid int, dir string, regs *syscall.PtraceRegs) bool {
	if !writing[regs.Orig_rax] {
		return false
	}
	switch regs.Orig_rax {
	case syscall.SYS_OPENAT:
		return regs.Rdx&syscall.O_CREAT != 0
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_FSYNC, syscall.SYS_FTRUNCATE, syscall.SYS_FALLOCATE:
		path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, regs.Rdi))
		return err == nil && strings.HasPrefix(path, dir)
	}
	return true
}
