//go:build !linux

package main

// availableMemory is what a process may still take on this machine, in bytes,
// 0 if that is not known.
func availableMemory() uint64 { return 0 }
