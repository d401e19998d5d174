package machine

import (
	"math"
	"testing"
	"testing/fstest"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The quota is that of the process's control group or of one above it, of either
// version, as a machine and as a container show them.
func TestQuota(t *testing.T) {
	const (
		v2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
		v1 = "40 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
			"41 30 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		inContainer = "40 30 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"
	)
	for name, c := range map[string]struct {
		groups, mounts string
		files          map[string]string
		want           float64
	}{
		"no control groups": {"", "", nil, math.Inf(1)},
		"version 2, no limit": {"0::/user/a\n", v2, map[string]string{
			"sys/fs/cgroup/user/a/cpu.max": "max 100000\n"}, math.Inf(1)},
		"version 2, a limit": {"0::/user/a\n", v2, map[string]string{
			"sys/fs/cgroup/user/a/cpu.max": "150000 100000\n"}, 1.5},
		"version 2, a smaller one above": {"0::/user/a\n", v2, map[string]string{
			"sys/fs/cgroup/user/a/cpu.max": "400000 100000\n", "sys/fs/cgroup/user/cpu.max": "200000 100000\n"}, 2},
		"version 2 in a container": {"0::/\n", v2, map[string]string{
			"sys/fs/cgroup/cpu.max": "100000 100000\n"}, 1},
		"version 1": {"5:cpu,cpuacct:/a\n4:memory:/b\n0::/\n", v1, map[string]string{
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/b/cpu.cfs_quota_us": "1\n"}, 0.5},
		"version 1, no limit": {"5:cpu:/a\n", v1, map[string]string{
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n"}, math.Inf(1)},
		"version 1 in a container": {"5:cpu:/docker/abc\n", inContainer, map[string]string{
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 3},
		"nonsense": {"0::\nx\n", "30\n" + v2, map[string]string{"sys/fs/cgroup/cpu.max": "many 0\n"}, math.Inf(1)},
	} {
		root := fstest.MapFS{"proc/self/cgroup": {Data: []byte(c.groups)}, "proc/self/mountinfo": {Data: []byte(c.mounts)}}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := quota(root); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
