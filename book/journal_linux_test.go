package book

import (
	"path/filepath"
	"syscall"
	"testing"

	"endwise/engine/testenv"
)

// After a disk that was full for a while, what was said to be kept is kept.
func TestJournalOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	var got string
	open := func() *Journal {
		got = ""
		j, err := OpenJournal(path, "full", 4, func(r []byte) error { got += string(r); return nil })
		testenv.OK(t, err)
		return j
	}
	j, kept := open(), ""
	keep := func(record string) error {
		err := j.Add([]byte(record))
		if err == nil {
			err = j.Keep()
		}
		if err == nil {
			kept += record
		}
		return err
	}
	testenv.OK(t, keep("aaaa"))
	// The kernel writes up to the limit and then no more, like a full disk.
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Skip(err)
	}
	full := usual
	full.Cur = uint64(len("full\n") + 8 + 4 + 6)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Skip(err)
	}
	failed := keep("bbbb")
	testenv.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual))
	if failed == nil {
		t.Error("the disk was not full")
	}
	keep("cccc")
	j.Close()
	open().Close()
	if got != kept {
		t.Errorf("kept were %q, found are %q", kept, got)
	}
}
