//go:build linux

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sys/unix"

	"endwise/engine/testenv"
	"endwise/engine/wire/program"
)

// longRun is a running process of this program.
type longRun struct {
	t     *testing.T
	cmd   *exec.Cmd
	dir   string // store and working directory
	stdin io.WriteCloser
	over  chan struct{} // closed when the process has ended

	mu   sync.Mutex
	said bytes.Buffer // standard output and standard error
}

// Write appends output of the process.
func (r *longRun) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.Write(text)
}

func (r *longRun) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.String()
}

// startRun starts a command in a directory. Its standard input stays open.
func startRun(t *testing.T, dir string, args ...string) *longRun {
	t.Helper()
	return startProgram(t, dir, process(t, dir, args...))
}

// startProgram starts any command.
func startProgram(t *testing.T, dir string, cmd *exec.Cmd) *longRun {
	t.Helper()
	r := &longRun{t: t, cmd: cmd, dir: dir, over: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = r, r
	var err error
	r.stdin, err = r.cmd.StdinPipe()
	testenv.OK(t, err)
	testenv.OK(t, r.cmd.Start())
	go func() {
		_ = r.cmd.Wait() // the process state contains the result
		close(r.over)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.over
	})
	return r
}

// until waits for a condition, which must become true before the process ends. The time
// limit is only a watchdog.
func (r *longRun) until(what string, is func() bool) {
	r.t.Helper()
	watchdog := time.After(time.Minute)
	for !is() {
		select {
		case <-r.over:
			if is() {
				return
			}
			r.t.Fatalf("%q ended before %s: %v: %s", r.cmd.Args, what, r.cmd.ProcessState, ending(r.text()))
		case <-watchdog:
			_ = r.cmd.Process.Signal(syscall.SIGQUIT) // prints the goroutines
			<-r.over
			r.t.Fatalf("%q: never %s: %s", r.cmd.Args, what, r.text())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// says waits until the output of the process matches a pattern and returns the match.
func (r *longRun) says(pattern string) string {
	r.t.Helper()
	re, found := regexp.MustCompile(pattern), ""
	r.until("it says "+pattern, func() bool {
		found = re.FindString(r.text())
		return found != ""
	})
	return found
}

// listens waits until a server prints its address.
func (r *longRun) listens() string {
	r.t.Helper()
	return r.says(`127\.0\.0\.1:\d+`)
}

// works waits until the process and its children have used d more processor time.
func (r *longRun) works(d time.Duration) {
	r.t.Helper()
	tree := program.NewTree(r.cmd.Process.Pid)
	before := tree.Usage().CPU
	r.until("it works", func() bool {
		tree.Scan()
		return tree.Usage().CPU >= before+d
	})
}

// ends terminates the process and waits for its exit code. The time limit is only a
// watchdog; the time is logged.
func (r *longRun) ends(code int) {
	r.t.Helper()
	start := time.Now()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Errorf("%v: %s", err, ending(r.text()))
	}
	select {
	case <-r.over:
	case <-time.After(time.Minute):
		_ = r.cmd.Process.Signal(syscall.SIGQUIT) // prints the goroutines
		<-r.over
		r.t.Errorf("%q does not end: %s", r.cmd.Args, r.text())
	}
	r.t.Logf("%s: ended %v after SIGTERM", r.t.Name(), time.Since(start).Round(time.Millisecond))
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("%q: %v, want exit code %d: %s", r.cmd.Args, r.cmd.ProcessState, code, ending(r.text()))
	}
	if text := r.text(); strings.Contains(text, "goroutine ") || strings.Contains(text, "panic") {
		r.t.Errorf("%q: %s", r.cmd.Args, text)
	}
}

// ask sends a request to a server and does not wait for the answer.
func ask(t *testing.T, host, path string) {
	t.Helper()
	conn, err := net.Dial("tcp", host)
	testenv.OK(t, err)
	t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host); err != nil {
		t.Fatal(err)
	}
}

// get requests a page from a server; it retries if its connection is closed among many
// others.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	for try := 0; ; try++ {
		resp, err := client.Get(url)
		if err != nil {
			if try == 50 {
				t.Fatal(err)
			}
			continue
		}
		data, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		return resp.StatusCode, string(data)
	}
}

// terminated lists all commands that take long, idle and during work. begin starts the
// command and waits for that state; whole checks its files afterwards.
var terminated = []struct {
	name  string
	code  int
	begin func(t *testing.T, dir string) *longRun
	whole func(t *testing.T, dir string)
}{
	{"serve, idle", exitOK, listening(func(t *testing.T, r *longRun, host string) {
		ask(t, host, "/healthz") // the connection stays open
	}, "serve", "--hash", "48", "--threads", "1"), nil},
	{"serve, in the middle of lookups", exitOK, listening(func(t *testing.T, r *longRun, host string) {
		ask(t, host, "/v1/circuitwars/lookup?position=5x6&time=10s&moves=all")
		ask(t, host, "/v1/dotsandboxes/lookup?position=6x6&time=10s&moves=all")
		r.works(100 * time.Millisecond)
	}, "serve", "--hash", "48", "--threads", "1"), nil},
	{"serve circuitwars, idle", exitOK, listening(func(t *testing.T, r *longRun, host string) {
		if conn, err := net.Dial("tcp", host); err == nil {
			t.Cleanup(func() { conn.Close() }) // sends nothing
		}
	}, "serve", "circuitwars"), nil},
	{"serve circuitwars, in the middle of a game", exitOK, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "serve", "circuitwars", "--addr", "127.0.0.1:0", "--board", "1x2", "--time", "0", "--log", filepath.Join(dir, "game.log"))
		server := "http://" + r.listens()
		for _, team := range []string{"one", "two"} {
			startRun(t, t.TempDir(), "bot", "circuitwars", "--server", server, "--team", team, "--level", "1", "--interval", "1ms")
		}
		r.says("game kept")
		get(t, server+"/restart")
		get(t, server+"/reg/one")
		get(t, server+"/reg/two")
		return r
	}, func(t *testing.T, dir string) {
		if out, err := process(t, dir, "replay", "circuitwars", "--board", "1x2", dir).CombinedOutput(); err != nil || !strings.Contains(string(out), "1 game: 1 agree") {
			t.Errorf("%v: %s", err, out)
		}
	}},
	{"serve dotsandboxes, idle", exitOK, listening(func(t *testing.T, r *longRun, host string) {
		ask(t, host, "/")
	}, "serve", "dotsandboxes", "--hash", "8", "--threads", "1"), nil},
	{"serve dotsandboxes, thinking", exitOK, listening(func(t *testing.T, r *longRun, host string) {
		think(t, r, "ws://"+host+"/agent/endwise")
	}, "serve", "dotsandboxes", "--hash", "8", "--threads", "1"), nil},
	{"bot circuitwars, without a server", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "bot", "circuitwars", "--server", freeAddress(t), "--hash", "8", "--level", "1", "--patience", "10m")
		r.says("retrying")
		return r
	}, nil},
	{"bot circuitwars, waiting for an opponent", exitInterrupted, func(t *testing.T, dir string) *longRun {
		s := startRun(t, dir, "serve", "circuitwars", "--addr", "127.0.0.1:0")
		host := s.listens()
		r := startRun(t, dir, "bot", "circuitwars", "--server", host, "--hash", "8", "--level", "1")
		r.says("registered")
		return r
	}, nil},
	{"bot circuitwars, thinking", exitInterrupted, func(t *testing.T, dir string) *longRun {
		s := startRun(t, dir, "serve", "circuitwars", "--addr", "127.0.0.1:0", "--time", "0", "--board", "6x6")
		host := s.listens()
		r := startRun(t, dir, "bot", "circuitwars", "--server", host, "--hash", "8", "--time", "5m", "--interval", "10ms")
		r.says("registered")
		get(t, "http://"+host+"/reg/other")
		r.works(100 * time.Millisecond)
		return r
	}, nil},
	{"bot dotsandboxes, idle", exitOK, listening(func(t *testing.T, r *longRun, host string) {
		conn, _, err := websocket.Dial(t.Context(), "ws://"+host, nil)
		testenv.OK(t, err)
		t.Cleanup(func() { conn.CloseNow() })
	}, "bot", "dotsandboxes", "--hash", "8", "--threads", "1"), nil},
	{"bot dotsandboxes, thinking", exitOK, listening(func(t *testing.T, r *longRun, host string) {
		think(t, r, "ws://"+host)
	}, "bot", "dotsandboxes", "--hash", "8", "--threads", "1"), nil},
	{"bot watchyourback, idle", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "bot", "watchyourback", "--hash", "8")
		fmt.Fprintln(r.stdin, `{"type":"start","colour":"white"}`)
		r.says(`"ready"`)
		return r
	}, nil},
	{"referee, solving tables", exitInterrupted, working(100*time.Millisecond, "referee", "watchyourback", "endwise", "random", "--hash", "8"), verified},
	{"bot watchyourback, thinking", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "bot", "watchyourback", "--hash", "8", "--time", "5m")
		fmt.Fprintln(r.stdin, `{"type":"start","colour":"black"}`)
		fmt.Fprintln(r.stdin, `{"type":"update","action":[0,1]}`) // a move that is not in the book
		fmt.Fprintln(r.stdin, `{"type":"action","turns":1}`)
		r.says(`"ok"`)
		r.works(100 * time.Millisecond)
		return r
	}, nil},
	{"referee, thinking", exitInterrupted, working(200*time.Millisecond, "referee", "watchyourback", "random", "endwise", "--time", "5m", "--wall", "10m", "--hash", "8", "--quiet"), nil},
	{"referee, with a child", exitInterrupted, saying("Welcome|elcome|====|turn", "referee", "watchyourback", "cmd:endwise bot watchyourback --time 5m --hash 8", "random", "--wall", "10m"), nil},
	{"referee, asking a person", exitInterrupted, saying("white|White|action|move", "referee", "watchyourback", "human", "random"), nil},
	{"worker, without a server", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "worker", "--nats", "nats://"+freeAddress(t))
		r.says(".")
		return r
	}, nil},
	{"worker, in the middle of a job", exitInterrupted, func(t *testing.T, dir string) *longRun {
		_, worker := startFarm(t, dir)
		worker.works(100 * time.Millisecond)
		return worker
	}, nil},
	{"coordinator, without workers", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "solve", "circuitwars", "--board", "2x5", "--nats", "embedded:"+freeAddress(t))
		r.says("NATS server")
		return r
	}, verified},
	{"coordinator, with a worker", exitInterrupted, func(t *testing.T, dir string) *longRun {
		coordinator, _ := startFarm(t, dir)
		coordinator.works(100 * time.Millisecond)
		return coordinator
	}, verified},
	{"status, of a server that is silent", exitInterrupted, func(t *testing.T, dir string) *longRun {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		testenv.OK(t, err)
		t.Cleanup(func() { ln.Close() })
		r := startRun(t, dir, "status", "--nats", "nats://"+ln.Addr().String())
		conn, err := ln.Accept()
		testenv.OK(t, err)
		t.Cleanup(func() { conn.Close() })
		return r
	}, nil},
	{"arena, thinking", exitInterrupted, working(200*time.Millisecond, "arena", "circuitwars", "endwise:book=off", "level1", "--board", "6x6", "--time", "5m", "--results", "results.jsonl"), linesWhole("results.jsonl")},
	{"arena, between games", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "arena", "circuitwars", "level1", "level2", "--board", "4x4", "--games", "100000", "--results", "results.jsonl", "--logs", "logs")
		r.until("games are kept", func() bool { return lines(filepath.Join(dir, "results.jsonl")) > 8 })
		return r
	}, func(t *testing.T, dir string) {
		linesWhole("results.jsonl")(t, dir)
		if out, err := process(t, dir, "replay", "circuitwars", "--board", "4x4", "logs").CombinedOutput(); err != nil {
			t.Errorf("the logs: %v: %s", err, ending(string(out)))
		}
	}},
	{"arena, with agents", exitInterrupted, func(t *testing.T, dir string) *longRun {
		agent := startRun(t, t.TempDir(), "bot", "dotsandboxes", "--addr", "127.0.0.1:0", "--hash", "8", "--threads", "1").listens()
		r := startRun(t, dir, "arena", "dotsandboxes", "ws://"+agent, "level1", "--board", "9x9", "--time", "2m", "--results", "results.jsonl")
		r.until("it begins", func() bool { return lines(filepath.Join(dir, "results.jsonl")) > 0 })
		return r
	}, linesWhole("results.jsonl")},
	{"arena, with programs", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "arena", "watchyourback", "cmd:endwise bot watchyourback --hash 8 --time 5m", "random", "--time", "10m", "--results", "results.jsonl")
		r.until("it begins", func() bool { return lines(filepath.Join(dir, "results.jsonl")) > 0 })
		return r
	}, linesWhole("results.jsonl")},
	{"arena, with a program that never registers", exitInterrupted, func(t *testing.T, dir string) *longRun {
		// The comment removes the server's address, which sleep refuses.
		r := startRun(t, dir, "arena", "circuitwars", "cmd:echo $$ >> pids; exec sleep 1000 #", "level1", "--results", "results.jsonl")
		r.until("the program runs", func() bool { return lines(filepath.Join(dir, "pids")) > 0 })
		return r
	}, programsEnded},
	{"championship, with a program that never registers", exitInterrupted, func(t *testing.T, dir string) *longRun {
		teams := "one cmd:echo $$ >> pids; exec sleep 1000 #\ntwo level1\n"
		testenv.OK(t, os.WriteFile(filepath.Join(dir, "teams.txt"), []byte(teams), 0o644))
		r := startRun(t, dir, "championship", "circuitwars", "--teams", "teams.txt", "--results", "results.jsonl", "--advance", "0")
		r.until("the program runs", func() bool { return lines(filepath.Join(dir, "pids")) > 0 })
		return r
	}, programsEnded},
	{"championship", exitInterrupted, func(t *testing.T, dir string) *longRun {
		teams := "group A\none endwise:book=off\ntwo level1\nthree level2\n"
		testenv.OK(t, os.WriteFile(filepath.Join(dir, "teams.txt"), []byte(teams), 0o644))
		r := startRun(t, dir, "championship", "circuitwars", "--teams", "teams.txt", "--time", "5m", "--board", "6x6", "--results", "results.jsonl", "--advance", "0", "--jobs", "2")
		r.works(200 * time.Millisecond)
		return r
	}, linesWhole("results.jsonl")},
	{"solve circuitwars", exitInterrupted, solving("circuitwars", "--board", "2x5"), verified},
	{"solve circuitwars --segments", exitInterrupted, solving("circuitwars", "--segments", "13"), verified},
	{"solve circuitwars --value", exitInterrupted, solving("circuitwars", "--board", "3x5", "--value"), verified},
	{"solve circuitwars --answers", exitInterrupted, solving("circuitwars", "--board", "3x5", "--answers", "proof"), verified},
	{"solve dotsandboxes", exitInterrupted, solving("dotsandboxes", "--board", "3x4"), verified},
	{"solve dotsandboxes --value", exitInterrupted, solving("dotsandboxes", "--board", "4x4", "--value", "--hash", "64"), verified},
	{"solve circuitwars --value --order 2", exitInterrupted, working(3*time.Second, "solve", "circuitwars", "--board", "2x7", "--value", "--order", "2", "--threads", "1"), verified},
	{"solve dotsandboxes --value --order 2", exitInterrupted, working(3*time.Second, "solve", "dotsandboxes", "--board", "4x4", "--value", "--order", "2", "--threads", "1"), verified},
	{"solve dotsandboxes --answers", exitInterrupted, solving("dotsandboxes", "--board", "4x4", "--answers", "proof", "--hash", "64"), verified},
	{"solve watchyourback", exitInterrupted, solving("watchyourback", "--pieces", "6"), verified},
	{"build", exitInterrupted, working(150*time.Millisecond, "build"), verified},
	{"verify", exitInterrupted, func(t *testing.T, dir string) *longRun {
		if out, err := process(t, dir, "solve", "circuitwars", "--board", "2x4").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		r := startRun(t, dir, "verify", "--deep")
		r.works(100 * time.Millisecond)
		return r
	}, verified},
	{"analyze", exitInterrupted, func(t *testing.T, dir string) *longRun {
		record, err := filepath.Abs("../../../data/games/circuitwars/level2-level3-0002.log")
		testenv.OK(t, err)
		r := startRun(t, dir, "analyze", record, "--time", "5m", "--hash", "64", "--html", "out.html", "--exercises", "out.jsonl", "--work", "work")
		r.works(300 * time.Millisecond)
		return r
	}, func(t *testing.T, dir string) {
		linesWhole("out.jsonl")(t, dir)
		if page, err := os.ReadFile(filepath.Join(dir, "out.html")); err == nil && !strings.Contains(string(page), "</html>") {
			t.Errorf("half a page of %d bytes", len(page))
		}
	}},
	{"query", exitInterrupted, working(150*time.Millisecond, "query", "circuitwars", "6x6", "--time", "5m", "--hash", "8"), nil},
	{"book grow", exitInterrupted, func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, "book", "grow", "circuitwars", "--board", "5x5", "--time", "20ms", "--hash", "8")
		r.until("the book grows", func() bool {
			st, err := os.Stat(filepath.Join(dir, "books", "circuitwars-5x5", "book.journal"))
			return err == nil && st.Size() > 1000
		})
		return r
	}, bookWhole},
	{"book grow, thinking", exitInterrupted, working(150*time.Millisecond, "book", "grow", "circuitwars", "--board", "6x6", "--time", "5m", "--hash", "8"), bookWhole},
	{"play, asking", exitInterrupted, saying("move", "play", "circuitwars", "--second", "level1"), nil},
	{"play, thinking", exitInterrupted, working(150*time.Millisecond, "play", "circuitwars", "--board", "6x6", "--first", "endwise", "--time", "5m", "--hash", "8"), nil},
	{"replay", exitInterrupted, func(t *testing.T, dir string) *longRun {
		s := startRun(t, dir, "serve", "circuitwars", "--addr", "127.0.0.1:0")
		host := s.listens()
		record, err := filepath.Abs("../../../data/games/circuitwars/level2-level3-0002.log")
		testenv.OK(t, err)
		r := startRun(t, dir, "replay", "circuitwars", "--to", host, "--pace", "1h", record)
		r.until("the game has begun", func() bool { return strings.Contains(s.text(), "the game begins") })
		return r
	}, nil},
	{"bench", exitInterrupted, working(100*time.Millisecond, "bench"), nil},
}

// starting exceeds the processor time of a command's start, about 30 ms, even on a busy
// machine. Before the command handles signals, SIGTERM ends it like any program.
const starting = 300 * time.Millisecond

// working starts a command and waits until it has worked for the given processor time.
func working(spent time.Duration, args ...string) func(t *testing.T, dir string) *longRun {
	return func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, args...)
		r.works(starting + spent)
		return r
	}
}

// saying starts a command and waits for output.
func saying(pattern string, args ...string) func(t *testing.T, dir string) *longRun {
	return func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, args...)
		r.says(pattern)
		return r
	}
}

// listening starts a server or an agent on a free port, waits until it listens and calls
// then.
func listening(then func(t *testing.T, r *longRun, host string), args ...string) func(t *testing.T, dir string) *longRun {
	return func(t *testing.T, dir string) *longRun {
		r := startRun(t, dir, append(args, "--addr", "127.0.0.1:0")...)
		then(t, r, r.listens())
		return r
	}
}

// startFarm starts a solve and one worker for it.
func startFarm(t *testing.T, dir string) (coordinator, worker *longRun) {
	t.Helper()
	addr := freeAddress(t)
	coordinator = startRun(t, dir, "solve", "circuitwars", "--board", "2x5", "--nats", "embedded:"+addr)
	coordinator.says("NATS server")
	worker = startRun(t, t.TempDir(), "worker", "--nats", "nats://"+addr, "--threads", "1")
	worker.says("taking part")
	return coordinator, worker
}

// solving starts a solve in an empty store.
func solving(args ...string) func(t *testing.T, dir string) *longRun {
	return working(150*time.Millisecond, append([]string{"solve"}, args...)...)
}

// verified checks all tables of a store.
func verified(t *testing.T, dir string) {
	t.Helper()
	if out, err := process(t, dir, "verify").CombinedOutput(); err != nil {
		t.Errorf("verify: %v: %s", err, out)
	}
}

// bookWhole checks the book that a run left, if there is one.
func bookWhole(t *testing.T, dir string) {
	t.Helper()
	books, err := filepath.Glob(filepath.Join(dir, "books", "*"))
	testenv.OK(t, err)
	for _, b := range books {
		_, board, _ := strings.Cut(filepath.Base(b), "-")
		if out, err := process(t, dir, "book", "check", "circuitwars", "--board", board).CombinedOutput(); err != nil {
			t.Errorf("book check: %v: %s", err, out)
		}
	}
}

// lines returns the number of complete lines of a file.
func lines(file string) int {
	data, _ := os.ReadFile(file)
	return bytes.Count(data, []byte("\n"))
}

// programsEnded checks that the programs whose process ids are in the file pids have ended.
func programsEnded(t *testing.T, dir string) {
	t.Helper()
	for _, pid := range strings.Fields(string(testenv.ReadFile(t, filepath.Join(dir, "pids")))) {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || bytes.Contains(stat, []byte(") Z ")) { // a zombie has ended
			continue
		}
		t.Errorf("the program still runs: %s", stat)
		if id, err := strconv.Atoi(pid); err == nil {
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
	}
}

// linesWhole checks that a file, if it exists, consists of complete lines of JSON.
func linesWhole(name string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return
		}
		if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
			t.Errorf("%s ends in half a line: %q", name, ending(string(data)))
		}
		for line := range bytes.Lines(data) {
			if !json.Valid(line) {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
}

// think makes an agent search an empty board.
func think(t *testing.T, r *longRun, url string) {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url, nil)
	testenv.OK(t, err)
	t.Cleanup(func() { conn.CloseNow() })
	start := `{"type":"start","player":1,"grid":[9,9],"timelimit":300,"game":"g"}`
	testenv.OK(t, conn.Write(context.Background(), websocket.MessageText, []byte(start)))
	r.works(100 * time.Millisecond)
}

// keeping matches the names of commands that save partial work.
var keeping = regexp.MustCompile(`^(solve|build|analyze|book grow|coordinator|championship|arena)`)

// counts matches a number of positions.
var counts = regexp.MustCompile(`of [\d,]+ positions?`)

// Every command that takes long ends after SIGTERM, idle and during work, with the
// documented exit code and intact files, and reports what has become of its work.
func TestEndsOnSIGTERM(t *testing.T) {
	for _, c := range terminated {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := c.begin(t, dir)
			r.ends(c.code)
			next := ""
			switch {
			case strings.Contains(c.name, "circuitwars --answers"), strings.Contains(c.name, "--order 2"):
				next = "; nothing was kept, so the same command begins anew"
			case strings.HasSuffix(c.name, "--value"):
				next = "; bounds of N positions are kept, and the same command continues from them"
				if !strings.Contains(r.text(), "bounds of") { // it has hardly begun
					next = "; nothing was kept, so the same command begins anew"
				}
			case strings.Contains(r.text(), "registered as player 1"):
				next = "; to resume the game, add --as 1"
			case strings.Contains(r.text(), "no game has ended"): // nothing is kept
			case keeping.MatchString(c.name):
				next = "; what is done is kept, and the same command resumes"
			}
			if text := counts.ReplaceAllString(r.text(), "of N positions"); c.code == exitInterrupted && !strings.Contains(text, "endwise: interrupted"+next+"\n") {
				t.Errorf("want it to say that it was interrupted%s: %s", next, ending(text))
			}
			if c.whole != nil {
				c.whole(t, dir)
			}
		})
	}
}

// A command that cannot save its work when it is terminated reports the failure, and does
// not report that the work is saved.
func TestSavesNothingOnSIGTERM(t *testing.T) {
	t.Parallel()
	oneOrTwo := map[int]bool{1: true, 2: true} // the table, and the journal if a record waits
	for _, c := range []struct {
		name string
		args []string
	}{
		{"table", []string{"solve", "dotsandboxes", "--board", "4x4", "--value", "--hash", "64"}},
		{"proof", []string{"solve", "dotsandboxes", "--board", "4x4", "--answers", "proof", "--hash", "64"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := working(300*time.Millisecond, c.args...)(t, t.TempDir())
			none := unix.Rlimit{Cur: 0, Max: 0}
			testenv.OK(t, unix.Prlimit(r.cmd.Process.Pid, unix.RLIMIT_FSIZE, &none, nil))
			r.ends(exitFailure)
			if text := r.text(); !saysWhy(text) || !oneOrTwo[strings.Count(lastLine(text), "file too large")] || strings.Contains(text, ".tmp") || strings.Contains(text, "is kept") {
				t.Error(ending(text))
			}
		})
	}
}
