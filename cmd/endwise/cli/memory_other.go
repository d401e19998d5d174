//go:build !linux

package cli

// AvailableMemory is what a process may still take on this machine, in bytes,
// 0 if that is not known.
func AvailableMemory() uint64 { return 0 }
