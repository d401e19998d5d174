package machine

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// quota is the processors' worth of time that the control groups (cgroups) of this
// process leave it, infinite where they set no limit or can't be read; root is
// the file system's. Both versions are read: cpu.max of the second, and
// cpu.cfs_quota_us of the first where that has the cpu controller. The Go runtime
// reads them as well, but rounds up and to 2 at least: a process that thinks with
// more threads than its quota is stopped for the rest of every period of 100 ms,
// the thread that is to answer included.
func quota(root fs.FS) float64 {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	second, group := true, ""
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3) // number:controllers:group
		if len(f) < 3 {
			continue
		}
		if slices.Contains(strings.Split(f[1], ","), "cpu") {
			second, group = false, f[2]
			break
		}
		if f[0] == "0" {
			group = f[2]
		}
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		at, of := strings.Fields(before), strings.Fields(after)
		if len(at) < 5 || len(of) < 3 || second && of[0] != "cgroup2" ||
			!second && (of[0] != "cgroup" || !slices.Contains(strings.Split(of[2], ","), "cpu")) {
			continue
		}
		// The mount may begin at a group of its own, as it does in a container.
		below, mount := strings.TrimPrefix(group, strings.TrimSuffix(at[3], "/")), strings.TrimPrefix(at[4], "/")
		least := math.Inf(1)
		for below = path.Join("/", below); ; below = path.Dir(below) {
			least = min(least, groupQuota(root, path.Join(mount, below), second))
			if below == "/" {
				return least
			}
		}
	}
	return math.Inf(1)
}

// groupQuota is the limit of one control group.
func groupQuota(root fs.FS, group string, second bool) float64 {
	read := func(file string) string {
		text, _ := fs.ReadFile(root, path.Join(group, file))
		return string(text)
	}
	text := read("cpu.max")
	if !second {
		text = read("cpu.cfs_quota_us") + " " + read("cpu.cfs_period_us")
	}
	f := strings.Fields(text)
	if len(f) != 2 {
		return math.Inf(1)
	}
	most, err := strconv.ParseFloat(f[0], 64) // "max" and -1 are no limit
	period, err2 := strconv.ParseFloat(f[1], 64)
	if err != nil || err2 != nil || most <= 0 || period <= 0 {
		return math.Inf(1)
	}
	return most / period
}
