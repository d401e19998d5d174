package disk

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"endwise/engine/testenv"
)

// If a disk is full for a while, the records from then on are lost and those before are
// not: the log stays intact even when there is space again.
func TestLogOnAFullDisk(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	testenv.OK(t, err)
	frames := Frames{Order: binary.BigEndian, Max: 64}
	l, err := NewLog(f, 0)
	testenv.OK(t, err)
	add := func(record string) error {
		_, err := l.Write(frames.Append(nil, []byte(record)))
		return err
	}
	testenv.OK(t, add("before"))
	// The kernel refuses to write beyond the limit, as on a full disk.
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Skip(err)
	}
	full := usual
	full.Cur = uint64(l.Size()) + 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Skip(err)
	}
	failed := add("lost")
	testenv.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual))
	if later := add("later"); failed == nil || later != failed {
		t.Errorf("%v, later %v", failed, later)
	}
	if l.Close() == nil {
		t.Error("closed as if all were there")
	}
	data, err := os.ReadFile(f.Name())
	if want := frames.Append(nil, []byte("before")); err != nil || !bytes.Equal(data, want) {
		t.Errorf("%q, %v, want %q", data, err, want)
	}
}
