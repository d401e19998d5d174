package program

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// detach makes the command start in its own session, which does not receive the signals of the terminal.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	adopt()
}

// adopt makes this process the parent of its orphaned descendants, so that the Tree contains them.
var adopt = sync.OnceFunc(func() {
	const prSetChildSubreaper = 36
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
})

// userHZ is the number of time units per second in /proc, on every Linux.
const userHZ = 100

// Tree is a process and all processes that came from it: descendants, members of its session, and
// processes that an earlier scan found to be one of these. A process that leaves the session and
// loses its parent between two scans is not found. The methods may be called concurrently.
type Tree struct {
	mu    sync.Mutex
	root  member
	known map[member]time.Duration // all members found so far, with their processor time
	cpu   time.Duration            // of the whole tree
	space uint64
	peak  uint64
}

// member is a process; the start time distinguishes processes with the same pid.
type member struct {
	pid   int
	start uint64
}

// NewTree returns the tree of the process with the pid root, started by a command that was
// detached and not yet waited for.
func NewTree(root int) *Tree {
	s, _ := readStat(root)
	t := &Tree{root: member{root, s.start}, known: map[member]time.Duration{}}
	t.Scan()
	return t
}

// stat contains fields of /proc/PID/stat.
type stat struct {
	member
	parent, session int
	zombie          bool
	own, reaped     time.Duration // processor time of the process, and of the children it waited for
	space           uint64
}

// readStat reads the stat of a process. The name of the program may contain any character.
func readStat(pid int) (s stat, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	_, rest, ok := bytes.Cut(data[max(0, bytes.LastIndexByte(data, ')')):], []byte(" "))
	f := bytes.Fields(rest)
	if !ok || len(f) < 22 {
		return s, false
	}
	num := func(field int) uint64 { // as in proc(5); f begins with field 3
		v, _ := strconv.ParseUint(string(f[field-3]), 10, 64)
		return v
	}
	ticks := func(user, system int) time.Duration {
		return time.Duration(num(user)+num(system)) * time.Second / userHZ
	}
	return stat{
		member: member{pid, num(22)},
		parent: int(num(4)), session: int(num(6)), zombie: f[0][0] == 'Z',
		own: ticks(14, 15), reaped: ticks(16, 17),
		space: num(24) * uint64(os.Getpagesize()),
	}, true
}

// processes returns all processes except this one, or nil if /proc cannot be read.
func processes() []stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	var all []stat
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil || pid == os.Getpid() {
			continue
		}
		if s, ok := readStat(pid); ok {
			all = append(all, s)
		}
	}
	return all
}

// members returns the processes of the tree that exist now, including zombies but not this process. The
// lock must be held.
func (t *Tree) members() []stat {
	all := processes()
	// If another process has the root's pid, the session is empty: the system does not
	// assign a pid that is in use as a session ID.
	reused := slices.ContainsFunc(all, func(s stat) bool { return s.pid == t.root.pid && s.start != t.root.start })
	in := map[int]bool{t.root.pid: !reused}
	// The session of this process may contain processes that do not descend from it.
	hasSession := !reused && t.root.pid != os.Getpid()
	for _, s := range all {
		_, seen := t.known[s.member]
		sameSession := hasSession && s.session == t.root.pid
		if seen || sameSession {
			in[s.pid] = true
		}
	}
	// Children may have lower pids than their parents.
	for grew := true; grew; {
		grew = false
		for _, s := range all {
			if !in[s.pid] && in[s.parent] {
				in[s.pid], grew = true, true
			}
		}
	}
	return slices.DeleteFunc(all, func(s stat) bool { return !in[s.pid] })
}

// Scan finds and measures the members of the tree, and waits for adopted ones that have ended.
func (t *Tree) Scan() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var living time.Duration
	t.space = 0
	for _, s := range t.members() {
		t.known[s.member] = s.own
		living += s.own + s.reaped
		t.space += s.space
		t.reap(s)
	}
	t.peak = max(t.peak, t.space)
	// Both sums may miss ended processes: living contains those that their parents waited for, and
	// seen those that a scan found.
	var seen time.Duration
	for _, own := range t.known {
		seen += own
	}
	t.cpu = max(t.cpu, living, seen)
}

// reap waits for a member that has ended and whose parent is this process, except the root, for which
// its Program waits.
func (t *Tree) reap(s stat) {
	if s.zombie && s.parent == os.Getpid() && s.pid != t.root.pid {
		syscall.Wait4(s.pid, nil, syscall.WNOHANG, nil)
	}
}

// Refresh is like Scan, but fast if only the root is known.
func (t *Tree) Refresh() {
	t.mu.Lock()
	alone := len(t.known) == 1
	s, ok := readStat(t.root.pid)
	if ok && alone && s.member == t.root && s.reaped == 0 {
		t.known[s.member] = s.own
		t.cpu = max(t.cpu, s.own)
		t.space = s.space
		t.peak = max(t.peak, t.space)
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	t.Scan()
}

// Usage returns the usage of the tree at the last scan.
func (t *Tree) Usage() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Usage{t.cpu, t.space, t.peak}
}

const killRounds = 200

// Kill kills the members, for at most killRounds rounds. In each round it first stops all members, so
// that they do not start children meanwhile.
func (t *Tree) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for range killRounds {
		list := t.members()
		living := 0
		for _, s := range list {
			t.known[s.member] = s.own
			if !s.zombie {
				living++
				syscall.Kill(s.pid, syscall.SIGSTOP)
			}
		}
		for _, s := range list {
			if !s.zombie {
				syscall.Kill(s.pid, syscall.SIGKILL)
			}
			t.reap(s)
		}
		// The root's zombie stays until the process that started the root waits for it.
		others := slices.ContainsFunc(list, func(s stat) bool { return s.pid != t.root.pid })
		if living == 0 && !others {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// KillOrphans kills all descendants of this process. It must not be called while a child is in use.
func KillOrphans() {
	t := &Tree{root: member{pid: os.Getpid()}, known: map[member]time.Duration{}}
	t.Kill()
}

// OwnSpace returns the resident memory of this process, in bytes.
func OwnSpace() uint64 {
	s, _ := readStat(os.Getpid())
	return s.space
}
