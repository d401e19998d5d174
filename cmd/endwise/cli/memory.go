package cli

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// AvailableMemory returns the available memory in bytes, 0 if it is unknown.
func AvailableMemory() uint64 {
	available, _ := memory()
	return available
}

// memory returns the memory of the machine, or of its container if that has less, in bytes; 0 if unknown.
func memory() (available, total uint64) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		name, rest, _ := strings.Cut(sc.Text(), ":")
		kb, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
		switch {
		case err != nil:
		case name == "MemAvailable":
			available = kb << 10
		case name == "MemTotal":
			total = kb << 10
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		limit, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(string(limit)), 10, 64); err == nil {
			available, total = min(available, n), min(total, n)
		}
	}
	return available, total
}

// WantHash checks the value of a flag, a size in megabytes. If the memory of the machine is known, the
// maximum is the available memory or half of the total memory, whichever is more.
func WantHash(name string, mb int) error {
	const unknown = 1 << 40
	available, total := memory()
	if total == 0 {
		available, total = unknown, unknown
	}
	switch most := max(available, total/2) >> 20; {
	case mb < 1:
		return Want(false, name, mb, "1 or more megabytes")
	case uint64(mb) > most:
		return BadInput(fmt.Errorf("%s %d: want at most %d megabytes: this machine has %d, and %d are free", name, mb, most, total>>20, available>>20))
	}
	return nil
}
