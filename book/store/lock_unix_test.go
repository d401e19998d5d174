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

// TestLockedByWriter locks a finished table as a writing Badger does.
func TestLockedByWriter(t *testing.T) {
	dir := t.TempDir()
	buildDense(t, dir, 640, false)
	path := filepath.Join(dir, "dense")
	d, err := os.Open(path)
	testenv.OK(t, err)
	defer d.Close()
	testenv.OK(t, syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	tab, err := Open(path, Options{})
	testenv.OK(t, err)
	if _, err := tab.Value(0); !errors.Is(err, ErrLocked) || errors.Is(err, ErrDamaged) {
		t.Errorf("read: %v, want ErrLocked", err)
	}
	testenv.OK(t, tab.Close())
}
