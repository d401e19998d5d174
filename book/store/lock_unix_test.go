//go:build unix && !solaris && !illumos && !aix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLockedByWriter locks a finished table the way a Badger that writes does.
func TestLockedByWriter(t *testing.T) {
	dir := t.TempDir()
	buildDense(t, dir, 640, false)
	path := filepath.Join(dir, "dense")
	d, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
}
