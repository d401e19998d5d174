package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLockNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lock(path)
	if held := new(HeldError); !errors.As(err, &held) || !strings.Contains(held.Holder, fmt.Sprintf("process %d ", os.Getpid())) {
		t.Errorf("a second lock: %v", err)
	}
	release()
	again, err := Lock(path)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	again()
	if _, err := Lock(filepath.Join(path, "below")); err == nil || errors.As(err, new(*HeldError)) {
		t.Errorf("a lock below a file: %v", err)
	}
	if err := SyncDir(filepath.Dir(path)); err != nil {
		t.Error(err)
	}
	if err := SyncDir(filepath.Join(path, "none")); err == nil {
		t.Error("a directory that is none was synced")
	}
}
