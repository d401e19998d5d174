package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The description in a lock file contains no secrets of the command line.
func TestLockContainsNoSecrets(t *testing.T) {
	defer func(args []string) { os.Args = args }(os.Args)
	os.Args = []string{"endwise", "worker", "--nats", "nats://token@one:4222,tls://user:pass@two", "--nats=nats://a:b@three", "me@home"}
	who := thisProcess()
	for _, secret := range []string{"token", "user", "pass", "a:b"} {
		if strings.Contains(who, secret) {
			t.Errorf("%q holds %q", who, secret)
		}
	}
	if want := "(endwise worker --nats nats://…@one:4222,tls://…@two --nats=nats://…@three me@home)"; !strings.HasSuffix(who, want) {
		t.Errorf("%q, want it to end with %q", who, want)
	}
}

// A long command line is cut between two characters.
func TestLockCutsCommands(t *testing.T) {
	defer func(args []string) { os.Args = args }(os.Args)
	os.Args = []string{"endwises", strings.Repeat("é", 200)}
	if who, want := thisProcess(), "(endwises "+strings.Repeat("é", 95)+"…)"; !strings.HasSuffix(who, want) {
		t.Errorf("%q, want it to end with %q", who, want)
	}
}

func TestLockNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := Lock(path)
	testenv.OK(t, err)
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
		t.Error("a file was synced as a directory")
	}
}
