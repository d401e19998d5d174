//go:build !linux

package build

// checkRoom does nothing where room can't be reserved without writing.
func checkRoom(string, int64) error { return nil }
