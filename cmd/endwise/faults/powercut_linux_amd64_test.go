package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"endwise/engine/testenv"
)

// device records which writes of a process have reached the disk, and so what a power cut
// may lose. It observes the process's system calls, so mapped files and libraries are
// included. The content of a file is durable as it was at the start of a successful fsync
// or msync, a name after an fsync of its directory. Nothing else is durable; in particular,
// an fsync of a file does not make its name durable.
type device struct {
	t       *testing.T
	root    *inode
	live    map[uint64]*inode // by inode number
	pending []nameChange      // changes of names that are not durable, in order
	syncing map[int]func()    // by thread: makes the data of a sync in progress durable
}

// inode is a file or a directory, possibly removed.
type inode struct {
	names  map[string]*inode // current names; nil for a file
	lasts  map[string]*inode // durable names
	data   []byte            // durable content
	latest []byte            // content at the cut
}

// nameChange is the change of names by one call, by directory; nil means removed.
type nameChange map[*inode]map[string]*inode

// newDevice returns a device on which all of dir is durable.
func newDevice(t *testing.T, dir string) *device {
	t.Helper()
	d := &device{t: t, root: &inode{names: map[string]*inode{}}, live: map[uint64]*inode{}, syncing: map[int]func(){}}
	d.scan(dir)
	for _, n := range d.live {
		n.data, n.lasts = n.latest, maps.Clone(n.names)
	}
	d.pending = nil
	return d
}

// scan compares the names in dir with those of the last scan.
func (d *device) scan(dir string) {
	change, live := nameChange{}, map[uint64]*inode{}
	var st syscall.Stat_t
	if syscall.Stat(dir, &st) == nil {
		live[st.Ino] = d.root
	}
	d.scanDir(dir, d.root, change, live)
	d.live = live
	if len(change) > 0 {
		d.pending = append(d.pending, change)
	}
}

func (d *device) scanDir(dir string, n *inode, change nameChange, live map[uint64]*inode) {
	now := map[string]*inode{}
	entries, _ := os.ReadDir(dir) // the directory may have been removed
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		path, number := filepath.Join(dir, e.Name()), info.Sys().(*syscall.Stat_t).Ino
		child := live[number]
		if child == nil {
			child = d.live[number]
		}
		if child == nil || info.IsDir() != (child.names != nil) {
			child = &inode{}
			if info.IsDir() {
				child.names = map[string]*inode{}
			}
		}
		live[number], now[e.Name()] = child, child
		if info.IsDir() {
			d.scanDir(path, child, change, live)
		} else if data, err := os.ReadFile(path); err == nil {
			child.latest = data
		}
	}
	diff := map[string]*inode{}
	for name, child := range now {
		if n.names[name] != child {
			diff[name] = child
		}
	}
	for name := range n.names {
		if now[name] == nil {
			diff[name] = nil
		}
	}
	if len(diff) > 0 {
		change[n] = diff
	}
	n.names = now
}

// apply makes a change of names durable.
func (c nameChange) apply() {
	for n, diff := range c {
		if n.lasts == nil {
			n.lasts = map[string]*inode{}
		}
		for name, child := range diff {
			if n.lasts[name] = child; child == nil {
				delete(n.lasts, name)
			}
		}
	}
}

// syncNames makes the names in a directory durable, with all earlier changes in directories
// that the same calls changed.
func (d *device) syncNames(n *inode) {
	touched, keep := map[*inode]bool{n: true}, make([]bool, len(d.pending))
	for i, c := range slices.Backward(d.pending) {
		for n := range c {
			keep[i] = keep[i] || touched[n]
		}
		for n := range c {
			touched[n] = touched[n] || keep[i]
		}
	}
	var left []nameChange
	for i, c := range d.pending {
		if keep[i] {
			c.apply()
		} else {
			left = append(left, c)
		}
	}
	d.pending = left
}

// call records a system call of a process whose directory is dir.
func (d *device) call(pid, tid int, dir string, regs *syscall.PtraceRegs, enters bool) {
	switch call := regs.Orig_rax; {
	case call == syscall.SYS_FSYNC, call == syscall.SYS_FDATASYNC, call == syscall.SYS_MSYNC:
		if !enters {
			if last := d.syncing[tid]; last != nil && regs.Rax == 0 {
				last()
			}
			delete(d.syncing, tid)
			return
		}
		path := fmt.Sprintf("/proc/%d/fd/%d", pid, regs.Rdi)
		if call == syscall.SYS_MSYNC {
			path = mappedFile(pid, regs.Rdi)
		}
		var st syscall.Stat_t
		if syscall.Stat(path, &st) != nil {
			return
		}
		n := d.live[st.Ino]
		if n == nil {
			return // in another directory
		}
		if n.names != nil {
			d.syncing[tid] = func() { d.syncNames(n) }
		} else if data, err := os.ReadFile(path); err == nil {
			d.syncing[tid] = func() { n.data = data }
		}
	case enters:
	case call == syscall.SYS_OPENAT && regs.Rdx&syscall.O_CREAT != 0,
		call == syscall.SYS_RENAMEAT, call == syscall.SYS_RENAME, call == syscall.SYS_UNLINKAT, call == syscall.SYS_UNLINK,
		call == syscall.SYS_RMDIR, call == syscall.SYS_MKDIRAT, call == syscall.SYS_LINKAT:
		d.scan(dir)
	}
}

// mappedFile returns the file that a process has mapped at an address, "" for none.
func mappedFile(pid int, addr uint64) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	for line := range strings.Lines(string(data)) {
		var from, to uint64
		if n, _ := fmt.Sscanf(line, "%x-%x", &from, &to); n == 2 && from <= addr && addr < to {
			if i := strings.IndexByte(line, '/'); i >= 0 {
				return strings.TrimSpace(line[i:])
			}
		}
	}
	return ""
}

// after writes the state after a power cut into a new directory: if rng is nil, only what
// is durable, otherwise also a random part of the rest, because disks write in any order.
func (d *device) after(rng *rand.Rand) string {
	frozen := map[*inode]bool{}
	for _, c := range d.pending {
		lost := rng == nil || rng.IntN(3) == 0
		for n := range c {
			lost = lost || frozen[n]
		}
		if !lost {
			c.apply()
			continue
		}
		for n := range c {
			frozen[n] = true
		}
	}
	dir := d.t.TempDir()
	d.restore(dir, d.root, rng)
	return dir
}

func (d *device) restore(dir string, n *inode, rng *rand.Rand) {
	for _, name := range slices.Sorted(maps.Keys(n.lasts)) {
		path, child := filepath.Join(dir, name), n.lasts[name]
		if child.names != nil {
			testenv.OK(d.t, os.Mkdir(path, 0o755))
			d.restore(path, child, rng)
		} else {
			testenv.OK(d.t, os.WriteFile(path, torn(child.data, child.latest, rng), 0o644))
		}
	}
}

// torn returns a possible content of a file after a power cut. Its length is one of both
// lengths; each sector is durable, the latest, or, if it is new, empty.
func torn(lasts, latest []byte, rng *rand.Rand) []byte {
	if rng == nil || bytes.Equal(lasts, latest) {
		return lasts
	}
	const sector = 512
	out := bytes.Clone(lasts)
	if rng.IntN(4) > 0 {
		out = make([]byte, len(latest))
		copy(out, lasts)
	}
	written := rng.IntN(4) // per four sectors
	for at := 0; at < min(len(out), len(latest)); at += sector {
		if rng.IntN(4) < written {
			copy(out[at:min(at+sector, len(out))], latest[at:])
		}
	}
	return out
}

// cut runs a case up to its n-th writing call, or to its end if n is 0, and then cuts the
// power. It returns a directory with the remaining state.
func (c *crashCase) cut(t *testing.T, dir string, n int, rng *rand.Rand) (left, stdout string) {
	t.Helper()
	d := newDevice(t, dir)
	calls, end, out, errs := c.under(t, dir, disturbance{n: n, kill: n > 0, watch: d.call})
	if end.Signal() != syscall.SIGKILL && end.ExitStatus() != exitOK {
		t.Fatalf("power cut at write %d of %d: the end is %v: %s", n, calls, end, ending(errs))
	}
	d.scan(dir)
	return d.after(rng), out
}

// The power is cut at random points of every kind of work. Writes that are not durable are
// lost, all of them or a random part. The same command resumes, possibly until the next
// cut, and its result is that of an undisturbed run. The reported result of a finished run
// is never lost. With ENDWISE_DEEP each kind is cut 200 times.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	powerCut.meet(t, func(t *testing.T, c *crashCase) {
		result, _ := c.undisturbed(t)
		calls := c.writes(t)
		sound := func(what, dir, stdout string) {
			t.Helper()
			if got := c.result(t, dir, stdout); got != result {
				t.Errorf("%s: %s, undisturbed %s", what, got, result)
			}
			if _, err := os.Stat(filepath.Join(dir, "results.jsonl")); errors.Is(err, fs.ErrNotExist) {
				verified(t, dir)
			}
		}
		dir, out := c.cut(t, t.TempDir(), 0, nil)
		sound("power cut after the end", dir, out)
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 0))
		for done := 0; done < deepCount(3, 200) && !t.Failed(); {
			dir, points, chance := t.TempDir(), []int{}, rng
			for range 1 + rng.IntN(2) {
				if done++; rng.IntN(3) == 0 {
					chance = nil
				}
				points = append(points, 1+rng.IntN(calls))
				dir, _ = c.cut(t, dir, points[len(points)-1], chance)
			}
			out, errs, err := c.run(t, dir)
			if err != nil {
				t.Fatalf("seed %d, power cut at writes %d of %d: %v: %s", seed, points, calls, err, ending(errs))
			}
			sound(fmt.Sprintf("seed %d, power cut at writes %d of %d", seed, points, calls), dir, out)
		}
	})
}
