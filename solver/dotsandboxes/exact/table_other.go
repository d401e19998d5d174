//go:build !linux

package exact

// words returns n zeroed words.
func words(n int) (mem []uint64, release func()) { return make([]uint64, n), nil }
