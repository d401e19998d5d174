//go:build !linux

package tt

// pages returns nil: the memory comes from Go.
func pages(int) (mem []byte, release func()) { return nil, nil }
