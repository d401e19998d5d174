package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A process that has got the number of a player that is gone is not the
// player's.
func TestReusedNumber(t *testing.T) {
	stranger := exec.Command("sleep", "1000")
	Detach(stranger)
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	pid := stranger.Process.Pid
	tr := NewTree(pid)
	if list := tr.members(); len(list) != 1 || list[0].pid != pid {
		t.Fatalf("a player is not seen: %+v", list)
	}
	tr.root.start--
	tr.known = map[member]time.Duration{tr.root: 0}
	tr.Kill()
	if s, ok := readStat(pid); !ok || s.zombie {
		t.Error("a stranger was killed")
	}
	if list := tr.members(); len(list) != 0 {
		t.Errorf("a stranger is counted: %+v", list)
	}
	if err := stranger.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = stranger.Wait() // killed
}

// What has left the group and the session of its program is killed with it, as
// a child and, once a look has seen it, as an orphan.
func TestEndKillsWhatLeftTheSession(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not here")
	}
	for _, command := range []string{
		`setsid sleep 1000 & echo $! >pid; wait #`,
		`setsid sh -c 'sleep 1000; :' & echo $! >pid; wait #`,
		`sh -c 'setsid sleep 1000 & echo $! >pid; until test -e "$PID.seen"; do sleep 0.02; done' & wait; sleep 1000 #`,
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			p := start(t, Config{Command: strings.ReplaceAll(command, ">pid", `>"$PID.new" && mv "$PID.new" "$PID"`), Env: []string{"PID=" + file}})
			var text []byte
			for len(text) == 0 {
				time.Sleep(5 * time.Millisecond)
				text, _ = os.ReadFile(file) // not there yet
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			p.tree.Scan() // as it does once a second
			if err := os.WriteFile(file+".seen", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for parent := 0; strings.Contains(command, "until") && parent != os.Getpid(); {
				time.Sleep(5 * time.Millisecond)
				s, ok := readStat(pid)
				if parent = s.parent; !ok {
					t.Fatal("it is gone before its time")
				}
			}
			p.End(0)
			if alive(pid) {
				t.Errorf("process %d is still there", pid)
			}
		})
	}
}
