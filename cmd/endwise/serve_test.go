package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"endwise/book/opening"
	"endwise/engine"
	"endwise/engine/testenv"
)

// serve runs endwise serve on a free port until the test ends or stop is called, which
// returns its exit code. The address has no slash at its end.
func serve(t *testing.T, args ...string) (url string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append(append([]string{"serve"}, args...), "--addr", "127.0.0.1:0"), nil, in, io.Discard)
		in.Close()
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	url = regexp.MustCompile(`http://[^/]*`).FindString(line)
	if err != nil || url == "" {
		cancel()
		t.Fatalf("serve says %q, %v", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	ended, result := false, 0
	stop = func() int {
		if !ended {
			ended = true
			cancel()
			result = <-code
		}
		return result
	}
	t.Cleanup(func() {
		if c := stop(); c != exitOK {
			t.Errorf("serve ends with exit code %d", c)
		}
	})
	return url, stop
}

// startServer runs serve circuitwars.
func startServer(t *testing.T, args ...string) (url string, stop func() int) {
	t.Helper()
	return serve(t, append([]string{"circuitwars"}, args...)...)
}

// startSite runs serve without a game.
func startSite(t *testing.T, args ...string) (url string) {
	t.Helper()
	url, _ = serve(t, append([]string{"--hash", "64", "--threads", "1", "--store", t.TempDir()}, args...)...)
	return url
}

// The tables are opened before the port: the first lookup returns the values of all moves.
func TestFirstLookupKnowsTheTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if code := run(t.Context(), []string{"solve", "dotsandboxes", "--board", "2x2", "--store", dir}, nil, io.Discard, io.Discard); code != exitOK {
		t.Fatalf("solve ends with exit code %d", code)
	}
	site := startSite(t, "--store", dir)
	if _, err := os.Stat(filepath.Join(dir, opening.StarterDir)); err != nil {
		t.Errorf("before the first lookup: %v", err) // opening unpacks the starter books there
	}
	status, body := testenv.Call(t, "GET", site+"/v1/dotsandboxes/lookup?moves=all&position=2x2", "")
	var d engine.Decision
	if err := json.Unmarshal([]byte(body), &d); err != nil || status != 200 {
		t.Fatalf("status %d, %v: %s", status, err, body)
	}
	if len(d.Moves) != 12 {
		t.Errorf("%d moves", len(d.Moves))
	}
	for _, m := range d.Moves {
		if !m.Exact || m.Source != "table" {
			t.Errorf("%s: %s of the source %s", m.Move, m.Proof, m.Source)
		}
	}
}
