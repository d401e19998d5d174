//go:build linux && amd64

package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// jumpingClock is a wall clock whose readings are each off by a different amount of up to
// six weeks.
type jumpingClock struct{ readings atomic.Int64 }

func (j *jumpingClock) off() time.Duration {
	j.readings.Add(1)
	const most = 6 * 7 * 24 * time.Hour
	return rand.N(2*most) - most
}

// check fails the test if the clock was never read, and logs the number of readings.
func (j *jumpingClock) check(t *testing.T) {
	t.Helper()
	if n := j.readings.Load(); n == 0 {
		t.Error("the wall clock was never read")
	} else {
		t.Logf("the wall clock was read %d times", n)
	}
}

// underJumpingClock runs a command under a jumping clock; it must succeed.
func underJumpingClock(t *testing.T, cmd *exec.Cmd) (out string) {
	t.Helper()
	clock, stdout, stderr := new(jumpingClock), textFile(t), textFile(t)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	_, end := traced(t, cmd, disturbance{clock: clock.off})
	if !end.Exited() || end.ExitStatus() != exitOK {
		t.Errorf("%q: %v: %s", cmd.Args, end, ending(textOf(t, stderr)))
	}
	clock.check(t)
	return textOf(t, stdout)
}

// Every kind of work survives this while the wall clock jumps: it is killed, all its files
// get times in the distant past or future, and it is started again. The result is that of
// an undisturbed run.
func TestKilledUnderJumpingClock(t *testing.T) {
	t.Parallel()
	jumpingClocks.meet(t, func(t *testing.T, c *crashCase) {
		result, _ := c.undisturbed(t)
		clock, dir := new(jumpingClock), t.TempDir()
		_, end, _, errs := c.under(t, dir, disturbance{n: 1 + c.writes(t)/2, kill: true, clock: clock.off})
		if end.Signal() != syscall.SIGKILL {
			t.Fatalf("the run to be killed ended with %v: %s", end, ending(errs))
		}
		scatterTimes(t, dir)
		_, end, out, errs := c.under(t, dir, disturbance{clock: clock.off})
		if !end.Exited() || end.ExitStatus() != exitOK {
			t.Fatalf("the run begun again ended with %v: %s", end, ending(errs))
		}
		if got := c.result(t, dir, out); got != result {
			t.Errorf("%s, undisturbed %s", got, result)
		}
		clock.check(t)
		scatterTimes(t, dir)
		if out, err := process(t, dir, "verify").CombinedOutput(); err != nil {
			t.Errorf("verify: %v: %s", err, out)
		}
	})
}

// Time limits do not depend on the wall clock: no player forfeits a game, and a book grows.
func TestTimeLimitsUnderJumpingClock(t *testing.T) {
	t.Parallel()
	t.Run("arena", func(t *testing.T) {
		t.Parallel()
		// The margin is for busy machines; the clock jumps much further.
		fair(t, 2, underJumpingClock(t, process(t, t.TempDir(), "arena", "circuitwars", "endwise:book=off", "level2",
			"--board", "3x3", "--games", "2", "--time", "200ms", "--margin", "10m", "--json")))
	})
	t.Run("referee", func(t *testing.T) {
		if !testenv.Deep() {
			t.Skip("a tracer makes a game slow, and games under jumping clocks are played below: ENDWISE_DEEP=1")
		}
		t.Parallel()
		out := underJumpingClock(t, process(t, t.TempDir(), "referee", "watchyourback", "cmd:endwise bot watchyourback --level greedy", "random", "--wall", "10m", "--max-turns", "12", "--quiet"))
		if !strings.Contains(out, "game 1: ") || strings.Contains(out, "no answer") {
			t.Errorf("%s", out)
		}
	})
	t.Run("book", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		began, grows := time.Now(), 2*time.Second
		underJumpingClock(t, process(t, dir, "book", "grow", "circuitwars", "--board", "5x5", "--for", grows.String(), "--time", "20ms", "--hash", "8"))
		if took := time.Since(began); took < grows {
			t.Errorf("the book grew for %v, want %v", took, grows)
		}
		text, err := process(t, dir, "book", "export", "circuitwars", "--board", "5x5").Output()
		testenv.OK(t, err)
		if n := bookSize(t, string(text)); n < 1 { // the exact number depends on the machine
			t.Errorf("%d positions, want the root", n)
		}
	})
}

// fair checks that all games of a match ended without a forfeit.
func fair(t *testing.T, games int, report string) {
	t.Helper()
	var r struct {
		Players []struct {
			Games, Forfeits int
		}
		Faults []any
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	if len(r.Players) != 2 || r.Players[0].Games != games || r.Players[0].Forfeits != 0 || r.Players[1].Forfeits != 0 || len(r.Faults) != 0 {
		t.Errorf("%s", report)
	}
}

// startJumping starts a server or an agent under a jumping clock and waits until it prints
// its address. The end of the test stops it.
func startJumping(t *testing.T, args ...string) (host string) {
	t.Helper()
	r, w, err := os.Pipe()
	testenv.OK(t, err)
	stderr := textFile(t)
	cmd, clock := process(t, t.TempDir(), args...), new(jumpingClock)
	cmd.Stdout, cmd.Stderr = w, stderr
	type result struct {
		end syscall.WaitStatus
		err error
	}
	over, pids := make(chan result, 1), make(chan int, 1)
	go func() {
		_, end, err := trace(cmd, disturbance{clock: clock.off, started: func(pid int) { pids <- pid }})
		w.Close()
		over <- result{end, err}
	}()
	lines := bufio.NewReader(r)
	line, _ := lines.ReadString('\n')
	if host = regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line); host == "" {
		if end := <-over; end.err != nil {
			t.Skip(end.err)
		}
		t.Fatalf("%q says %q: %s", args, line, ending(textOf(t, stderr)))
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	t.Cleanup(func() {
		// Not the process's Pid, which is -1, all processes, after its release.
		_ = syscall.Kill(<-pids, syscall.SIGTERM)
		if end := <-over; end.err != nil || end.end.ExitStatus() != exitOK && end.end.ExitStatus() != exitInterrupted {
			t.Errorf("%q ended with %v, %v: %s", args, end.end, end.err, ending(textOf(t, stderr)))
		}
		r.Close()
		clock.check(t)
	})
	return host
}

// A server and a bot play a game without timeouts while the clocks of both jump.
func TestGameUnderJumpingClocks(t *testing.T) {
	t.Parallel()
	t.Run("circuitwars", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		game := filepath.Join(dir, "game.log")
		server := "http://" + startJumping(t, "serve", "circuitwars", "--addr", "127.0.0.1:0", "--board", "3x3", "--time", "10m", "--log", game)
		other := process(t, dir, "bot", "circuitwars", "--server", server, "--team", "other", "--level", "1", "--interval", "10ms")
		testenv.OK(t, other.Start())
		underJumpingClock(t, process(t, dir, "bot", "circuitwars", "--server", server, "--team", "jumper", "--time", "100ms", "--interval", "10ms", "--hash", "8"))
		if err := other.Wait(); err != nil {
			t.Error(err)
		}
		if out, err := process(t, dir, "replay", "circuitwars", "--board", "3x3", game).CombinedOutput(); err != nil || !strings.Contains(string(out), "1 played to the end, 0 illegal moves, 0 timeouts") {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("dotsandboxes", func(t *testing.T) {
		t.Parallel()
		agent := "ws://" + startJumping(t, "bot", "dotsandboxes", "--addr", "127.0.0.1:0", "--hash", "8", "--threads", "1")
		out, err := process(t, t.TempDir(), "arena", "dotsandboxes", agent, "level1", "--board", "3x3", "--games", "2", "--time", "500ms", "--margin", "10m", "--json").Output()
		testenv.OK(t, err)
		fair(t, 2, string(out))
	})
}

// A coordinator with its NATS server and a worker produce the same table while the clocks
// of both jump: no lease expires.
func TestFarmUnderJumpingClocks(t *testing.T) {
	t.Parallel()
	board := crashCases[0]
	result, _ := board.undisturbed(t)
	addr := freeAddress(t)
	worker, workersClock := process(t, t.TempDir(), "worker", "--nats", "nats://"+addr, "--once"), new(jumpingClock)
	over := make(chan error, 1)
	go func() {
		_, end, err := trace(worker, disturbance{clock: workersClock.off})
		if err == nil && (!end.Exited() || end.ExitStatus() != exitOK) {
			err = fmt.Errorf("the worker ended with %v", end)
		}
		over <- err
	}()
	dir := t.TempDir()
	underJumpingClock(t, process(t, dir, append(slices.Clone(board.args), "--nats", "embedded:"+addr)...))
	if t.Failed() {
		return // the worker waits for another run
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	if got := tableDigest(t, dir, ""); got != result {
		t.Errorf("%s, undisturbed %s", got, result)
	}
	workersClock.check(t)
}

// freeAddress returns an unused address on this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	addr, err := testenv.FreeAddress()
	testenv.OK(t, err)
	return addr
}

// scatterTimes sets the times of all files and directories to different values between 1971
// and 2099.
func scatterTimes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := time.Unix(rand.Int64N(4_070_908_800-31_536_000)+31_536_000, 0)
		return os.Chtimes(path, at, at)
	})
	testenv.OK(t, err)
}
