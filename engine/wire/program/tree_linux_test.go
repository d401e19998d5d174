package program

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// A process that received the pid of an ended player does not belong to the player.
func TestReusedPID(t *testing.T) {
	stranger := exec.Command("sleep", "1000")
	detach(stranger)
	testenv.OK(t, stranger.Start())
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

// A process that has left the group and the session of its program is killed with it, as a
// child and, after a scan has seen it, as an orphan.
func TestEndKillsProcessesOutsideTheSession(t *testing.T) {
	testenv.Program(t, "setsid")
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
				text, _ = os.ReadFile(file) // the file may not exist yet
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			testenv.OK(t, err)
			p.tree.Scan() // follow calls Scan once a second
			testenv.OK(t, os.WriteFile(file+".seen", nil, 0o600))
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

// In its own network a program reaches this process, and nothing else, at the configured
// address; several programs can use the same address concurrently.
func TestOwnNetwork(t *testing.T) {
	if err := OwnNetwork(); err != nil {
		t.Skip("this system cannot give a program its own network: ", err)
	}
	testenv.Program(t, "python3")
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	defer outside.Close()
	_, port, err := net.SplitHostPort(outside.Addr().String())
	testenv.OK(t, err)
	for _, word := range []string{"one", "two"} {
		t.Run(word, func(t *testing.T) {
			var out bytes.Buffer
			p := start(t, Config{Network: "127.0.0.1:5000", Output: &out, Args: []string{port}, Command: `python3 -c "
import os, socket, sys
try:
    socket.create_connection(('127.0.0.1', int(sys.argv[1])))
    print('outside')
except OSError:
    pass
print(os.getuid(), socket.create_connection(('127.0.0.1', 5000)).recv(99).decode())
"`})
			c, err := p.Listener().Accept()
			testenv.OK(t, err)
			if _, err := c.Write([]byte(word)); err != nil {
				t.Error(err)
			}
			c.Close()
			if err := p.Listener().Close(); err != nil {
				t.Error(err)
			}
			<-p.Done()
			if want := fmt.Sprintf("%d %s\n", os.Getuid(), word); out.String() != want || p.Failed() != nil {
				t.Errorf("it says %q, want %q; %v", out.String(), want, p.Failed())
			}
		})
	}
}

// If a program cannot be started in its own network, Start returns an error immediately.
func TestOwnNetworkFails(t *testing.T) {
	if err := OwnNetwork(); err != nil {
		t.Skip("this system cannot give a program its own network: ", err)
	}
	for address, want := range map[string]string{"192.0.2.1:5000": "bind: ", "[::1]:5000": "want an IPv4 address"} {
		if _, err := Start(t.Context(), Config{Command: "true", Network: address}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// A program has its own session, which signals of this terminal do not reach.
func TestProgramHasItsOwnSession(t *testing.T) {
	var out bytes.Buffer
	p := start(t, Config{Command: `cut -d " " -f 6 /proc/$$/stat #`, Output: &out})
	<-p.Done()
	if got, want := strings.TrimSpace(out.String()), strconv.Itoa(p.cmd.Process.Pid); got != want {
		t.Errorf("process %s is in session %s", want, got)
	}
}
