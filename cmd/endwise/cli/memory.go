package cli

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// AvailableMemory is what a process may still take on this machine, in bytes,
// 0 if that is not known, as on systems without /proc.
func AvailableMemory() uint64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	var free uint64
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if rest, ok := strings.CutPrefix(sc.Text(), "MemAvailable:"); ok {
			if kb, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64); err == nil {
				free = kb << 10
			}
		}
	}
	// A container may be given less.
	limit, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return free
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(string(limit)), 10, 64); err == nil && (free == 0 || n < free) {
		free = n
	}
	return free
}
