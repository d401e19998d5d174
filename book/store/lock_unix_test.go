//go:build unix && !solaris && !illumos && !aix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"endwise/engine/testenv"
)

// TestLockedByWriter locks a finished table the way a Badger that writes does.
func TestLockedByWriter(t *testing.T) {
	dir := t.TempDir()
	buildDense(t, dir, 640, false)
	path := filepath.Join(dir, "dense")
	d, err := os.Open(path)
	testenv.OK(t, err)
	defer d.Close()
	testenv.OK(t, syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	if _, err := Open(path, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
}
