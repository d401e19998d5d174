package arena

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"endwise/engine/testenv"
)

// A disk that is full for a while costs the results from then on, none of
// those before, and the run can be continued.
func TestJournalOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	head := map[string]int{"run": 1}
	j, _, err := OpenJournal(path, head)
	testenv.OK(t, err)
	testenv.OK(t, j.Append(Result{ID: "before"}))
	st, err := os.Stat(path)
	testenv.OK(t, err)
	// The kernel writes up to the limit and then no more, like a full disk.
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Skip(err)
	}
	full := usual
	full.Cur = uint64(st.Size()) + 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Skip(err)
	}
	failed := j.Append(Result{ID: "lost"})
	testenv.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual))
	if now, err := os.Stat(path); err != nil || now.Size() != st.Size() {
		t.Fatalf("%d bytes, want %d without the line cut off, %v", now.Size(), st.Size(), err)
	}
	later := j.Append(Result{ID: "later"})
	for _, err := range []error{failed, later} {
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("appended to a full disk: %v", err)
		}
	}
	j.Close()
	j, results, err := OpenJournal(path, head)
	if err != nil {
		t.Fatalf("the run cannot be continued: %v", err)
	}
	j.Close()
	if len(results) != 1 || results[0].ID != "before" {
		t.Errorf("%+v", results)
	}
}
