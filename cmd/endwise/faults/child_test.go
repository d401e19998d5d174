//go:build linux

package faults

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
	"endwise/engine/wire/dabws"
)

// failures are what a program says of its process that thinks.
func (r *longRun) failures() string {
	var says []string
	for line := range strings.Lines(r.text()) {
		if why, ok := strings.CutPrefix(line, "endwise: the process that finds the moves failed: "); ok {
			says = append(says, strings.TrimSpace(why))
		}
	}
	return strings.Join(says, ". ")
}

// killedAndStopped is what it says where one was killed, and the next one stopped.
const killedAndStopped = "it ended: signal: killed; it is started again. it gave no answer in time; moves are chosen without it"

// A bot of Circuit Wars whose process that thinks is killed, and the next one
// stopped, in the middle of a game, plays that game to its end in time.
func TestBotWithoutChild(t *testing.T) {
	t.Parallel()
	server := startRun(t, t.TempDir(), "serve", "circuitwars", "--addr", "127.0.0.1:0", "--board", "5x5", "--time", "2s").listens()
	bot := func(team string, more ...string) *longRun {
		r := startRun(t, t.TempDir(), append([]string{"bot", "circuitwars", "--server", server, "--team", team, "--interval", "20ms", "--hash", "8"}, more...)...)
		r.says("msg=registered")
		return r
	}
	r := bot("one")
	other := bot("two", "--level", "1")
	for moves, by := range []syscall.Signal{2: syscall.SIGKILL, 5: syscall.SIGSTOP} {
		if by == 0 {
			continue
		}
		r.until("it has moved", func() bool { return strings.Count(r.text(), "msg=move") >= moves })
		if err := syscall.Kill(r.child(), by); err != nil {
			t.Error(err)
		}
	}
	<-r.over
	<-other.over
	if says := r.failures(); says != killedAndStopped {
		t.Errorf("it says %q", says)
	}
	if text := r.text(); r.cmd.ProcessState.ExitCode() != exitOK || strings.Contains(text, "timeout") || strings.Contains(text, "illegal") {
		t.Errorf("%v: %s", r.cmd.ProcessState, ending(text))
	}
}

// An agent of Dots and Boxes whose process that thinks is killed, and the next
// one stopped, in the middle of a game over a websocket, plays that game to its
// end with legal lines in time, and says each once. (TestShim in cmd/endwise and
// watchyourback_shim.txtar have the Python files.)
func TestGameWithoutChild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := process(t, dir, "shim", "dotsandboxes", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, port, _ := strings.Cut(freeAddress(t), ":")
	launcher := exec.Command(filepath.Join(dir, "dotsandboxesagent"), port, "--hash", "8", "--overhead", "300ms")
	launcher.Env = append(os.Environ(), "ENDWISE_STORE="+dir)
	r := startProgram(t, dir, launcher)
	address := "ws://" + r.listens()
	const limit = 1500 * time.Millisecond
	start, err := dotsandboxes.Game{}.Start("5x5")
	testenv.OK(t, err)
	agent, err := dabws.Join(t.Context(), address, arena.Seat{
		Game: "g", Start: start, Side: engine.First, Time: limit,
		Forfeit: func(f arena.Fault) { t.Error(f.Reason, f.Move) },
	}, nil)
	testenv.OK(t, err)
	defer agent.Close()
	disturb := []struct {
		drawn int
		by    syscall.Signal
	}{{4, syscall.SIGKILL}, {12, syscall.SIGSTOP}}
	slowest := time.Duration(0)
	for p := start.(dotsandboxes.Position); !p.Over(); {
		by, move := p.Turn(), p.QuickMove()
		if by == engine.First {
			if len(disturb) > 0 && p.Drawn().Len() >= disturb[0].drawn { // it thinks
				if err := syscall.Kill(r.child(), disturb[0].by); err != nil {
					t.Error(err)
				}
				disturb = disturb[1:]
			}
			asked := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 2*limit) // the machine is busy
			d, err := agent.Choose(ctx, p, engine.Clock{})
			cancel()
			if err == nil {
				move, err = p.ParseMove(d.Move)
			}
			if err != nil {
				t.Fatalf("after %s: %v: %s", p, err, r.text())
			}
			slowest = max(slowest, time.Since(asked))
		}
		next, err := p.DrawLine(move)
		testenv.OK(t, err)
		testenv.OK(t, agent.Observe(t.Context(), by, move, next))
		p = next
	}
	t.Logf("the slowest line took %v of %v", slowest.Round(time.Millisecond), limit)
	if slowest > limit {
		t.Error("late")
	}
	if says := r.failures(); says != killedAndStopped {
		t.Errorf("it says %q: %s", says, r.text())
	}
}

// child waits for the only living child of a process and gives its number. Every
// process names its parent; the list of children that the system keeps for each thread
// can miss one.
func (r *longRun) child() (pid int) {
	r.t.Helper()
	r.until("it has a child", func() bool {
		files, err := filepath.Glob("/proc/[0-9]*/stat")
		testenv.OK(r.t, err)
		for _, f := range files {
			text, _ := os.ReadFile(f) // a process that is gone
			// "pid (name) state parent …", and the name may have any signs in it.
			_, rest, _ := strings.Cut(string(text), " (")
			fields := strings.Fields(rest[strings.LastIndex(rest, ")")+1:])
			if len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(r.cmd.Process.Pid) {
				pid, err = strconv.Atoi(filepath.Base(filepath.Dir(f)))
				testenv.OK(r.t, err)
				return true
			}
		}
		return false
	})
	return pid
}
