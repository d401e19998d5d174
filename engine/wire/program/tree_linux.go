package program

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// detach makes the command start in a session of its own, away from the terminal
// and its signals. Where the system can, this process becomes the parent of all
// orphans below it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	adopt()
}

// adopt makes this process inherit the orphans below it, so that a program
// cannot put a process out of sight by letting its parent die.
var adopt = sync.OnceFunc(func() {
	const prSetChildSubreaper = 36
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
})

// userHZ is the unit of times in /proc: 1/100 s on every Linux.
const userHZ = 100

// Tree is a process and everything that came from it: descendants, members of
// its session, and processes seen as such before. One that left the session and
// lost its parent between two looks at the tree is not found. Its methods may be
// called from several goroutines.
type Tree struct {
	mu    sync.Mutex
	root  member
	known map[member]time.Duration // own processor time when last seen
	cpu   time.Duration
	space uint64
	most  uint64
}

// member is a process; the start time tells two users of one pid apart.
type member struct {
	pid   int
	start uint64
}

// NewTree watches a process of the given number, made by a command that was
// detached and not yet waited for.
func NewTree(root int) *Tree {
	s, _ := readStat(root)
	t := &Tree{root: member{root, s.start}, known: map[member]time.Duration{}}
	t.Scan()
	return t
}

// stat is what /proc/PID/stat says.
type stat struct {
	member
	parent, session int
	zombie          bool
	own, reaped     time.Duration // of the process, of its children waited for
	space           uint64
}

// readStat reads the fields behind the name, which may hold anything.
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
	num := func(field int) uint64 { // numbered as in proc(5), from 1
		v, _ := strconv.ParseUint(string(f[field-3]), 10, 64)
		return v
	}
	ticks := func(a, b int) time.Duration { return time.Duration(num(a)+num(b)) * time.Second / userHZ }
	return stat{
		member: member{pid, num(22)},
		parent: int(num(4)), session: int(num(6)), zombie: f[0][0] == 'Z',
		own: ticks(14, 15), reaped: ticks(16, 17),
		space: num(24) * uint64(os.Getpagesize()),
	}, true
}

// members lists the living members; the lock is held.
func (t *Tree) members() []stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	var all []stat // never this process itself
	reused := false
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil || pid == os.Getpid() {
			continue
		}
		if s, ok := readStat(pid); ok {
			all = append(all, s)
			reused = reused || pid == t.root.pid && s.start != t.root.start
		}
	}
	// Once somebody else has the root's number, nobody is left of its session:
	// the system gives no number away that is in use as a session's.
	in := map[int]bool{t.root.pid: !reused}
	for _, s := range all {
		if _, seen := t.known[s.member]; seen || !reused && s.session == t.root.pid && t.root.pid != os.Getpid() {
			in[s.pid] = true
		}
	}
	// Children may have lower numbers than their parents: until nothing is
	// added any more.
	for grew := true; grew; {
		grew = false
		for _, s := range all {
			if !in[s.pid] && in[s.parent] {
				in[s.pid], grew = true, true
			}
		}
	}
	out := all[:0]
	for _, s := range all {
		if in[s.pid] {
			out = append(out, s)
		}
	}
	return out
}

// Scan looks who belongs to the tree, and measures all of them.
func (t *Tree) Scan() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var living time.Duration
	t.space = 0
	for _, s := range t.members() {
		t.known[s.member] = s.own
		living += s.own + s.reaped
		t.space += s.space
		if s.zombie && s.parent == os.Getpid() && s.pid != t.root.pid {
			syscall.Wait4(s.pid, nil, syscall.WNOHANG, nil) // an orphan that came to us
		}
	}
	t.most = max(t.most, t.space)
	// What ended is counted by its parent if that waited for it, and by us if
	// we saw it; the larger sum is nearer to the truth.
	var seen time.Duration
	for _, own := range t.known {
		seen += own
	}
	t.cpu = max(t.cpu, living, seen)
}

// Refresh is Scan, but cheap while there was never more than the root.
func (t *Tree) Refresh() {
	t.mu.Lock()
	alone := len(t.known) == 1
	s, ok := readStat(t.root.pid)
	if ok && alone && s.member == t.root && s.reaped == 0 {
		t.known[s.member] = s.own
		t.cpu = max(t.cpu, s.own)
		t.space = s.space
		t.most = max(t.most, t.space)
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	t.Scan()
}

// Usage is what the tree had used when it was last looked at.
func (t *Tree) Usage() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Usage{t.cpu, t.space, t.most}
}

// Kill kills all members until none is left: first it stops them, so that
// they cannot have children faster than they die.
func (t *Tree) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for range 200 {
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
			} else if s.parent == os.Getpid() && s.pid != t.root.pid {
				syscall.Wait4(s.pid, nil, syscall.WNOHANG, nil)
			}
		}
		// The root's zombie is waited for by whoever started it; that of an
		// orphan by us.
		if living == 0 && (len(list) == 0 || len(list) == 1 && list[0].pid == t.root.pid) {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// KillOrphans kills every process that descends from this one: what is left of
// trees that were killed. It must not be called while a child is in use.
func KillOrphans() {
	t := &Tree{root: member{pid: os.Getpid()}, known: map[member]time.Duration{}}
	t.Kill()
}

// OwnSpace is the resident memory of this process.
func OwnSpace() uint64 {
	s, _ := readStat(os.Getpid())
	return s.space
}
