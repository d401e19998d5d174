//go:build unix && !solaris && !illumos && !aix

package opening

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"endwise/engine/disk"
	"endwise/engine/testenv"
)

// A process that opened the lock file before Publish ended and locks it later excludes others.
func TestPublishKeepsItsLockFile(t *testing.T) {
	b := emptyBook(t, "2x2")
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 20})
	dir := t.TempDir()
	work := filepath.Join(dir, TableName("circuitwars", "2x2")+".publishing")
	testenv.OK(t, os.Mkdir(work, 0o755))
	f, err := os.Create(filepath.Join(work, lockName))
	testenv.OK(t, err)
	defer f.Close()
	_, err = b.Publish(t.Context(), dir)
	testenv.OK(t, err)
	testenv.OK(t, disk.LockFile(f))
	if _, err := b.Publish(t.Context(), dir); !errors.Is(err, ErrLocked) {
		t.Errorf("two processes publish at the same time: %v", err)
	}
}
