package faults

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// disturbance is an event at the n-th call by which a process writes to its directory,
// counted from 1 over all threads: the process is killed immediately before the call, or
// the call fails with an error number. If clock is set, each reading of the wall clock is
// shifted by its result; the monotonic clock is unchanged.
type disturbance struct {
	n     int
	kill  bool
	errno syscall.Errno
	clock func() time.Duration
	// started, if not nil, is called with the process id.
	started func(pid int)
	// watch, if not nil, is called at the beginning and the end of each system call.
	watch func(pid, tid int, dir string, regs *syscall.PtraceRegs, enters bool)
}

func (d disturbance) String() string {
	if d.clock != nil {
		return fmt.Sprintf("killed at write %d under a clock that jumps", d.n)
	}
	if d.kill {
		return fmt.Sprintf("killed at write %d", d.n)
	}
	return fmt.Sprintf("write %d fails: %v", d.n, d.errno)
}

// The calls by which work reaches the disk. A crash between two of them has the same effect
// as one immediately before the second.
var writing = map[uint64]bool{
	syscall.SYS_WRITE: true, syscall.SYS_PWRITE64: true, syscall.SYS_FSYNC: true, syscall.SYS_FTRUNCATE: true,
	syscall.SYS_OPENAT: true, syscall.SYS_RENAMEAT: true, syscall.SYS_UNLINKAT: true, syscall.SYS_MKDIRAT: true,
	syscall.SYS_MSYNC: true, syscall.SYS_FALLOCATE: true,
}

// errNoTracing means that tracing processes is not permitted.
var errNoTracing = errors.New("no tracing of processes")

// traced is trace for the goroutine of a test; it skips the test if tracing is not
// permitted.
func traced(t *testing.T, c *exec.Cmd, d disturbance) (calls int, end syscall.WaitStatus) {
	t.Helper()
	calls, end, err := trace(c, d)
	if errors.Is(err, errNoTracing) {
		t.Skip(err)
	}
	testenv.OK(t, err)
	return calls, end
}

// trace runs a command under ptrace with a disturbance, and returns the number of writing
// calls and the wait status. The zero disturbance only counts. The command's output must be
// files, because pipes need goroutines.
func trace(c *exec.Cmd, d disturbance) (calls int, end syscall.WaitStatus, err error) {
	runtime.LockOSThread() // ptrace is bound to one thread
	defer runtime.UnlockOSThread()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Ptrace: true}
	if err := c.Start(); err != nil {
		return 0, end, fmt.Errorf("%w: %w", errNoTracing, err)
	}
	defer c.Process.Release()
	pid := c.Process.Pid
	if d.started != nil {
		d.started(pid)
	}
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
		return 0, end, fmt.Errorf("the traced process does not stop at its start: %v", ws)
	}
	const (
		options = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | 0x100000 // PTRACE_O_EXITKILL
		atCall  = syscall.SIGTRAP | 0x80
	)
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return 0, end, err
	}
	if d.clock != nil {
		if err := hideVDSO(pid); err != nil {
			return 0, end, err
		}
	}
	inside := map[int]bool{}           // threads in a system call
	failing := map[int]syscall.Errno{} // errors for their calls to return
	resume := func(tid int, sig syscall.Signal) { _ = syscall.PtraceSyscall(tid, int(sig)) }
	resume(pid, 0)
	for {
		tid, ws, ok := wait()
		if !ok {
			return calls, end, nil
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
				continue // the thread has ended
			}
			if d.watch != nil {
				d.watch(pid, tid, c.Dir, &regs, inside[tid])
			}
			if inside[tid] {
				if writes(pid, c.Dir, &regs) {
					if calls++; calls == d.n {
						if d.kill {
							_ = syscall.Kill(pid, syscall.SIGKILL)
							continue
						}
						regs.Orig_rax = ^uint64(0) // skips the call
						_ = syscall.PtraceSetRegs(tid, &regs)
						failing[tid] = d.errno
					}
				}
			} else if errno := failing[tid]; errno != 0 {
				delete(failing, tid)
				regs.Rax = uint64(-int64(errno))
				_ = syscall.PtraceSetRegs(tid, &regs)
			} else if d.clock != nil {
				shiftClock(tid, &regs, d.clock)
			}
			resume(tid, 0)
		case ws.StopSignal() == syscall.SIGTRAP, ws.StopSignal() == syscall.SIGSTOP:
			resume(tid, 0) // the beginning of a new thread, seen in either thread
		default:
			resume(tid, ws.StopSignal())
		}
	}
}

// writes reports whether a call that begins changes the directory dir.
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

// hideVDSO makes a process that has just been started read the clock by system calls, which
// a tracer sees: it removes the address of the kernel's vDSO library from the auxiliary
// vector, which follows the arguments and the environment on the stack.
func hideVDSO(pid int) error {
	const (
		ignore    = 1  // AT_IGNORE
		vdsoEntry = 33 // AT_SYSINFO_EHDR
	)
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(pid, &regs); err != nil {
		return err
	}
	at := uintptr(regs.Rsp)
	word := func() (w uint64, err error) {
		var buf [8]byte
		_, err = syscall.PtracePeekData(pid, at, buf[:])
		at += 8
		return binary.LittleEndian.Uint64(buf[:]), err
	}
	argc, err := word()
	if err != nil {
		return err
	}
	at += uintptr(argc+1) * 8
	for w := uint64(1); w != 0; { // skips the environment
		if w, err = word(); err != nil {
			return err
		}
	}
	for {
		key, err := word()
		if err != nil || key == 0 {
			return err // without an entry, reading the clock is a system call anyway
		}
		if key == vdsoEntry {
			var buf [8]byte
			binary.LittleEndian.PutUint64(buf[:], ignore)
			_, err := syscall.PtracePokeData(pid, at-8, buf[:])
			return err
		}
		at += 8
	}
}

// shiftClock changes the wall-clock time that a finished call returned.
func shiftClock(tid int, regs *syscall.PtraceRegs, off func() time.Duration) {
	const realtime = 0 // CLOCK_REALTIME
	if regs.Orig_rax != syscall.SYS_CLOCK_GETTIME || regs.Rdi != realtime || regs.Rax != 0 {
		return
	}
	var buf [8]byte // the seconds
	if _, err := syscall.PtracePeekData(tid, uintptr(regs.Rsi), buf[:]); err != nil {
		return // the thread has ended
	}
	seconds := binary.LittleEndian.Uint64(buf[:]) + uint64(int64(off()/time.Second))
	binary.LittleEndian.PutUint64(buf[:], seconds)
	_, _ = syscall.PtracePokeData(tid, uintptr(regs.Rsi), buf[:])
}
