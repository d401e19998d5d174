//go:build unix

package program

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"endwise/engine/testenv"
)

func start(t *testing.T, cfg Config) *Program {
	t.Helper()
	p, err := Start(t.Context(), cfg)
	testenv.OK(t, err)
	t.Cleanup(func() { p.End(0) })
	return p
}

func TestArgumentsEnvironmentAndOutput(t *testing.T) {
	var out bytes.Buffer
	p := start(t, Config{Command: `printf '%s|' "$WHO" one`, Args: []string{"two words", "$HOME", "'"}, Env: []string{"WHO=me"}, Output: &out})
	<-p.Done()
	if got, want := out.String(), "me|one|two words|$HOME|'|"; got != want || p.Failed() != nil {
		t.Errorf("output %q, want %q; %v", got, want, p.Failed())
	}
}

// Excess output is read and discarded.
func TestExcessOutputIsDiscarded(t *testing.T) {
	var out bytes.Buffer
	p := start(t, Config{Command: "head -c 5000000 /dev/zero | tr '\\0' x; exit 1 #", Output: &out})
	<-p.Done()
	if out.Len() != maxOutput || len(p.out.kept) > tailBytes || p.Failed() == nil {
		t.Errorf("%d bytes passed on, %d kept, %v", out.Len(), len(p.out.kept), p.Failed())
	}
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// A program that ignores signals and has children that keep its output open ends together
// with them.
func TestEndKillsChildren(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	for _, how := range []string{"end", "context"} {
		ctx, cancel := context.WithCancel(context.Background())
		p, err := Start(ctx, Config{Command: `trap '' TERM INT HUP; sleep 1000 & echo $! $$ >"$PIDS.new"; mv "$PIDS.new" "$PIDS"; sleep 1000; sleep 1000 #`, Env: []string{"PIDS=" + pids}})
		testenv.OK(t, err)
		var family []int
		for len(family) < 2 {
			text, err := os.ReadFile(pids)
			if err != nil {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			for _, f := range strings.Fields(string(text)) {
				pid, err := strconv.Atoi(f)
				testenv.OK(t, err)
				family = append(family, pid)
			}
		}
		if how == "end" {
			p.End(0)
		} else {
			cancel()
			<-p.Done()
		}
		for _, pid := range family {
			for range 400 { // killed, but possibly not yet gone
				if !alive(pid) {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			if alive(pid) {
				t.Errorf("%s: process %d is still there", how, pid)
			}
		}
		cancel()
		os.Remove(pids)
	}
}

// Variables are initialised before init makes this executable the first step of a program
// with its own network. If the environment requests it, that step hangs here.
var _ = func() (ready bool) {
	if os.Getenv("STUCK") != "" {
		time.Sleep(time.Hour)
	}
	return true
}()

// Start returns when its context ends, even before the program has begun.
func TestStartEndsWithItsContext(t *testing.T) {
	if err := OwnNetwork(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	started := make(chan error, 1)
	go func() {
		_, err := Start(ctx, Config{Command: "sleep 1000", Network: "127.0.0.1:5000", Env: []string{"STUCK=1"}})
		started <- err
	}()
	select {
	case err := <-started:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("not returned after a minute")
	}
}

// A command that cannot be started is refused; an uncertain one and a program that ends
// immediately are not.
func TestStartable(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, mode := range map[string]os.FileMode{"run": 0o755, "read": 0o644, "ai.py": 0o644} {
		testenv.OK(t, os.WriteFile(name, []byte("#!/bin/sh\nexit 3\n"), mode))
	}
	for command, want := range map[string]string{
		"./run --fast":                "",
		filepath.Join(dir, "run"):     "",
		"sh -c 'exit 1'":              "",
		"read line; exit 3":           "",
		"while :; do :; done":         "",
		"A=1 B= ./run":                "",
		`"./no such" x`:               "",
		"$HOME/none":                  "",
		"(./none)":                    "",
		"./read":                      "./read: not a program, or not executable",
		".":                           "",
		"ai.py 7":                     `ai.py: no such program on the PATH; write "cmd:python3 ai.py"`,
		"./ai.py":                     `./ai.py: not a program, or not executable; write "cmd:python3 ./ai.py"`,
		"./none --fast":               "./none: no such program",
		"A=1 ./none":                  "./none: no such program",
		"no-such-program-here; sleep": "no-such-program-here: no such program on the PATH",
	} {
		got := ""
		if err := Startable(command); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// The error of a Python program that failed names the last place of the traceback that ends the output.
func TestPlaceOfAPythonError(t *testing.T) {
	const trace = `Traceback (most recent call last):
  File "/home/ann/game_ai.py", line 61, in <module>
    sent = choose_move(board)
  File "/home/ann/moves.py", line 42, in choose_move
    return undefined_name
           ^^^^^^^^^^^^^^
NameError: name 'undefined_name' is not defined
`
	for output, want := range map[string]string{
		trace:                     "NameError: name 'undefined_name' is not defined (moves.py, line 42)",
		"first\n" + trace + trace: "NameError: name 'undefined_name' is not defined (moves.py, line 42)",
		`  File "/home/ann/game_ai.py", line 3
    def f(:
          ^
SyntaxError: invalid syntax`: "SyntaxError: invalid syntax (game_ai.py, line 3)",
		trace + "play on\n": "play on",
		"one\ntwo\n\n":      "two",
		"":                  "",
	} {
		out := new(tail)
		out.Write([]byte(output))
		if got := out.lastLine(); got != want {
			t.Errorf("%s: %q, want %q", output, got, want)
		}
	}
}

func TestEmptyCommandIsRefused(t *testing.T) {
	if _, err := Start(context.Background(), Config{Command: " "}); err == nil {
		t.Error("no error for an empty command")
	}
}
