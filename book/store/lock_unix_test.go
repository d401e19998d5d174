//go:build unix && !solaris && !illumos && !aix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4"

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

// TestOpenForWriting opens a table while Badger has it open for writing and has changed its
// files. The error must not advise the user to delete the table.
func TestOpenForWriting(t *testing.T) {
	dir := t.TempDir()
	buildDense(t, dir, 640, false)
	path := filepath.Join(dir, "dense")
	tab := openTest(t, path)
	db, err := openForWriting(path)
	testenv.OK(t, err)
	testenv.OK(t, db.Update(func(txn *badger.Txn) error { return txn.Set([]byte("key"), []byte("value")) }))
	testenv.OK(t, db.Sync())
	manifest := filepath.Join(path, "MANIFEST")
	for _, what := range []string{"new files", "changed file"} {
		if what == "changed file" {
			testenv.OK(t, os.WriteFile(manifest, append(testenv.ReadFile(t, manifest), 0), 0o644))
		}
		if _, err := Open(path, Options{}); !errors.Is(err, ErrLocked) || strings.Contains(err.Error(), "delete") {
			t.Errorf("open, %s: %v, want ErrLocked without advice to delete the table", what, err)
		}
	}
	var problems []error
	testenv.OK(t, tab.Verify(t.Context(), func(err error) { problems = append(problems, err) }, nil))
	if len(problems) != 1 || !errors.Is(problems[0], ErrLocked) {
		t.Errorf("verify: %v, want ErrLocked once", problems)
	}
	testenv.OK(t, db.Close())
	if _, err := Open(path, Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("open after the writer has ended: %v", err)
	}
}

// TestJournalIsLocked opens a journal that is open already.
func TestJournalIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	open := func() (*Journal, error) {
		return OpenJournal(path, "mine", 4, func([]byte) error { return nil })
	}
	j, err := open()
	testenv.OK(t, err)
	defer j.Close(nil)
	_, err = open()
	if want := path + ": locked by another process: wait for it to end, or stop it"; !errors.Is(err, ErrLocked) || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
