package main

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"testing"
)

// serve runs endwise serve on a free port until the test ends or stop is
// called, which returns its exit code. The address has no slash at its end.
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
