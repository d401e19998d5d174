//go:build linux

package faults

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"endwise/engine/testenv"
)

// peakMemory returns the maximum memory of the process, in bytes.
func (r *longRun) peakMemory() int {
	r.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		r.t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(data)
	if m == nil {
		r.t.Fatalf("no VmHWM in %s", data)
	}
	kb, _ := strconv.Atoi(string(m[1]))
	return kb << 10
}

// flood sends a server the requests of broken and malicious programs: silent connections,
// partial requests, huge names and headers, old protocols, wrong encodings, paths outside
// of the site. It counts the connections in made and returns after the given number.
func flood(host, upgrade string, connections int, made *atomic.Int64) {
	long := strings.Repeat("a", 100_000)
	requests := []string{
		"", "GET", "GET /status HTTP/1.1\r\nHost: x\r\n", // held open
		"GET /status HTTP/1.0\r\n\r\n",
		"HEAD /status HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /move/a/0,0,top HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
		"GET /reg/" + long + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /" + long + "/" + long + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /reg/%00%ff%2e%2e%2f HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /web/../../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /web/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /v1/circuitwars/lookup?position=" + long + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /v1/circuitwars/lookup?position=7x7&time=99999h HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /reg/%C3%28 HTTP/1.1\r\nHost: x\r\nCookie: " + long + "\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x00\x00\x00", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		upgrade,
	}
	var crowd sync.WaitGroup
	defer crowd.Wait()
	const together = 8
	for first := range together {
		crowd.Go(func() {
			var held []net.Conn
			defer func() {
				for _, c := range held {
					c.Close()
				}
			}()
			for i := first; i < connections; i += together {
				made.Add(1)
				conn, err := net.DialTimeout("tcp", host, 5*time.Second)
				if err != nil {
					continue // refused: the server's queue is full
				}
				_ = conn.SetDeadline(time.Now().Add(20 * time.Millisecond))
				_, _ = io.WriteString(conn, requests[i%len(requests)])
				if i%3 == 0 {
					_, _ = io.Copy(io.Discard, io.LimitReader(conn, 4096))
				}
				if held = append(held, conn); len(held) > 75 {
					held[0].Close()
					held = held[1:]
				}
			}
		})
	}
}

// underFlood plays a game while a server is flooded with 600 connections, or 20,000 with
// ENDWISE_DEEP. Then it compares the server's memory with most.
func underFlood(t *testing.T, r *longRun, host, upgrade string, most int, play func()) {
	t.Helper()
	connections := deepCount(600, 20000)
	var made atomic.Int64
	over := make(chan struct{})
	start := time.Now()
	go func() {
		defer close(over)
		flood(host, upgrade, connections, &made)
	}()
	for made.Load() < int64(connections/2) { // by then both sides of the server are taken
		time.Sleep(time.Millisecond)
	}
	play()
	at := made.Load()
	<-over
	peak := r.peakMemory()
	t.Logf("%d connections in %v, %d of them when the game was over; at most %d MB of memory", connections, time.Since(start).Round(time.Millisecond), at, peak>>20)
	if peak > most {
		t.Errorf("the server took %d MB, want at most %d MB", peak>>20, most>>20)
	}
	r.ends(exitOK)
}

// A game can be played while its server is flooded, and the flood needs little memory. The
// flood registers as both players.
func TestCircuitWarsServerUnderFlood(t *testing.T) {
	r := startRun(t, t.TempDir(), "serve", "circuitwars", "--addr", "127.0.0.1:0", "--board", "2x2", "--time", "0")
	host := r.listens()
	registration := "GET /reg/somebody HTTP/1.1\r\nHost: x\r\n\r\n"
	server := "http://" + host
	get(t, server+"/reg/first")
	get(t, server+"/reg/second")
	moves := []string{"first/0,0,top", "second/0,1,top", "first/0,0,left", "second/0,1,left", "first/1,0,top", "second/1,1,bottom"}
	underFlood(t, r, host, registration, 200<<20, func() {
		for i, m := range moves {
			_, answer := get(t, server+"/move/"+m)
			if i == 0 && !strings.Contains(answer, `"last_move"`) {
				t.Fatalf("the first move: %s", answer)
			}
		}
		if _, st := get(t, server+"/status"); !strings.Contains(st, `"last_move": "1,1,bottom"`) {
			t.Fatalf("the game did not go on: %s", st)
		}
	})
}

// An agent keeps playing while it is flooded with connections and games.
func TestAgentUnderFlood(t *testing.T) {
	r := startRun(t, t.TempDir(), "serve", "dotsandboxes", "--addr", "127.0.0.1:0", "--hash", "16", "--threads", "1")
	host := r.listens()
	upgrade := "GET /agent/level1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff"
	underFlood(t, r, host, upgrade, 400<<20, func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var conn *websocket.Conn
		for {
			var err error
			if conn, _, err = websocket.Dial(ctx, "ws://"+host+"/agent/level1", nil); err == nil {
				break
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
		}
		defer conn.CloseNow()
		// More games than an agent keeps, then one that is played.
		for i := range 500 {
			start := fmt.Sprintf(`{"type":"start","player":2,"grid":[9,9],"timelimit":10,"game":"%d"}`, i)
			testenv.OK(t, conn.Write(ctx, websocket.MessageText, []byte(start)))
		}
		testenv.OK(t, conn.Write(ctx, websocket.MessageText, []byte(`{"type":"start","player":1,"grid":[2,2],"timelimit":10,"game":"real"}`)))
		if _, data, err := conn.Read(ctx); err != nil || !strings.Contains(string(data), `"action"`) {
			t.Fatalf("%s, %v", data, err)
		}
	})
}

// The pages answer while they are flooded.
func TestPagesUnderFlood(t *testing.T) {
	r := startRun(t, t.TempDir(), "serve", "--addr", "127.0.0.1:0", "--hash", "32", "--threads", "1", "--rate", "0")
	host := r.listens()
	underFlood(t, r, host, "GET /v1/watchyourback/choose?player=engine HTTP/1.1\r\nHost: x\r\n\r\n", 500<<20, func() {
		for try := 0; ; try++ {
			status, body := get(t, "http://"+host+"/v1/circuitwars/lookup?position=2x2&time=300ms")
			if status == http.StatusServiceUnavailable && try < 200 {
				continue // the server reports that it is busy
			}
			if !strings.Contains(body, `"score":-2`) {
				t.Fatalf("status %d: %s", status, body)
			}
			return
		}
	})
}

// With too few file descriptors a command fails with a sentence or works without a table.
// It does not report damage, and advises no deletion.
func TestTooFewDescriptors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"solve", "dotsandboxes", "--board", "2x2"},
		{"solve", "circuitwars", "--segments", "5"},
		{"book", "grow", "circuitwars", "--board", "3x3", "--positions", "3", "--time", "1ms", "--hash", "8"},
		{"book", "publish", "circuitwars", "--board", "3x3"},
	} {
		if out, err := process(t, dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	for _, args := range []string{
		"verify",
		"query dotsandboxes 2x2 --time 10ms --hash 8",
		"query circuitwars 3x3 --time 10ms --hash 8",
		"book check circuitwars --board 3x3",
		"book publish circuitwars --board 3x3",
	} {
		few := 0
		for n := 4; ; n++ {
			cmd := process(t, dir)
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", fmt.Sprintf("ulimit -n %d && exec endwise %s", n, args)}
			out, err := cmd.CombinedOutput()
			text := string(out)
			if strings.Contains(text, "fatal error: runtime") { // the Go runtime needs more
				continue
			}
			if strings.Contains(text, "damage") || strings.Contains(text, "delete") || strings.Contains(text, "goroutine") {
				t.Errorf("%s with %d descriptors: %s", args, n, ending(text))
			}
			if !strings.Contains(text, "too many open files") {
				if err != nil {
					t.Errorf("%s with %d descriptors: %v: %s", args, n, err, ending(text))
				}
				break
			}
			few++
		}
		if few == 0 {
			t.Errorf("%s: never too few", args)
		}
	}
}
