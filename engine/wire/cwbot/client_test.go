package cwbot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
	"endwise/engine/wire/cwhttp"
)

// clientWire is a transport that calls a handler directly.
type clientWire http.HandlerFunc

func (w clientWire) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	w(rec, r)
	return rec.Result(), nil
}

// wiredClient returns a client of a handler.
func wiredClient(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	c, err := NewClient("http://game.test")
	testenv.OK(t, err)
	c.HTTP.Transport = clientWire(h)
	return c
}

// A redirect is followed on the same server only, and only a limited number of times.
func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		to   string
		asks int
	}{
		{"/status", 1 + maxRedirects},
		{"status", 1 + maxRedirects},
		{"http://game.test/x", 1 + maxRedirects},
		{"http://other.test/status", 1},
		{"https://game.test/status", 1},
		{"//other.test/status", 1},
		{"file:///etc/passwd", 1},
	} {
		asks := 0
		client := wiredClient(t, func(w http.ResponseWriter, _ *http.Request) {
			asks++
			w.Header().Set("Location", c.to)
			w.WriteHeader(http.StatusFound)
		})
		client.Interval = 0
		if _, _, err := client.Status(t.Context()); err == nil || asks != c.asks {
			t.Errorf("redirected to %s: %v after %d requests, want %d", c.to, err, asks, c.asks)
		}
	}
}

// The error for a web page in place of the server's answer does not quote it.
func TestWebPage(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusOK:                 "register: the answer is not JSON as expected: a web page; is this the address of the game server?",
		http.StatusNotFound:           `register: no Circuit Wars server at this address: http://game.test/reg/a answers "404 Not Found"`,
		http.StatusBadGateway:         `register: the server answers "502 Bad Gateway": a web page; is this the address of the game server?`,
		http.StatusSwitchingProtocols: `register: the server answers "101 Switching Protocols"; is this the address of the game server?`,
	} {
		client := wiredClient(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, "\n<!doctype html>\n<title>Hello</title>")
		})
		if _, err := client.Register(t.Context(), "a"); err == nil || err.Error() != want {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A connection that is cut at any byte is an error unless the answer was complete.
func TestCutConnections(t *testing.T) {
	const body = `{"status_code": 202, "score_1": 0, "score_2": 0, "board_size": 1, "board": [[1, 0]], "time_left": 2500, "last_move": "0,0,top"}`
	answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	defer ln.Close()
	cuts := make(chan int, 1)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.WriteString(conn, answer[:<-cuts])
			}
			conn.Close()
		}
	}()
	c, err := NewClient("http://" + ln.Addr().String())
	testenv.OK(t, err)
	c.Interval = 0
	for cut := 0; cut <= len(answer); cut++ {
		cuts <- cut
		st, _, err := c.Status(t.Context())
		switch {
		case (err == nil) != (cut == len(answer)):
			t.Errorf("cut at byte %d of %d: %v", cut, len(answer), err)
		case err == nil && st.Position.MoveString(engine.Move(st.LastMove)) != "0,0,top":
			t.Errorf("the whole answer is read as %+v", st)
		}
	}
}

// Endless answers on a real socket are limited in size.
func TestEndlessAnswer(t *testing.T) {
	var sent int
	ended := make(chan struct{})
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		for {
			n, err := io.WriteString(w, strings.Repeat("x", 4096))
			if err != nil {
				return
			}
			sent += n
		}
	}))
	defer ts.Close()
	c, err := NewClient(ts.URL)
	testenv.OK(t, err)
	if _, _, err := c.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("an endless answer: %v", err)
	}
	<-ended
}

func TestServerAddresses(t *testing.T) {
	for _, bad := range []string{"", "http://", "ftp://x", "http://x/?a=b", "http://x#y", "http://[::1", "::", "http://x:70000"} {
		if _, err := NewClient(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for in, want := range map[string]string{"localhost:5000": "http://localhost:5000", "http://h/": "http://h", "https://h/game/": "https://h/game"} {
		if c, err := NewClient(in); err != nil || c.base.String() != want {
			t.Errorf("%q: %v, %v, want %s", in, c, err, want)
		}
	}
	// Team IDs that package cwhttp would refuse are sent, escaped.
	path := ""
	c := wiredClient(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.EscapedPath()
		_, _ = io.WriteString(w, `{"response": "ERROR", "error_code": 1}`)
	})
	if _, err := c.Register(t.Context(), "a b/ü?#%"); err != cwhttp.InvalidTeam || path != "/reg/a%20b%2F%C3%BC%3F%23%25" {
		t.Errorf("an odd id goes out as %s: %v", path, err)
	}
}

// For any answer of a server, a client returns an error or a sensible result.
func FuzzClient(f *testing.F) {
	f.Add(200, `{"response":"OK","player":1}`, "")
	f.Add(200, `{"response":"ERROR","error_code":-102}`, "")
	f.Add(200, `{"status_code":201,"score_1":0,"score_2":0,"board":[[0]],"last_move":"","time_left":-1,"board_size":1}`, "")
	f.Add(302, "", "/status")
	f.Add(307, "x", "http://127.0.0.1:1/%zz")
	f.Add(999, "\x1f\x8b\x08", "//")
	var status int
	var body, location string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	f.Cleanup(srv.Close)
	f.Fuzz(func(t *testing.T, code int, text, to string) {
		if code < 200 || code > 999 || strings.ContainsAny(to, "\r\n") {
			return
		}
		// Requests must stay on this server.
		if strings.Contains(to, "//") || strings.Contains(to, ":") || strings.Contains(to, `\`) {
			to = ""
		}
		status, body, location = code, text, to
		c, err := NewClient(srv.URL)
		testenv.OK(t, err)
		c.Interval = time.Nanosecond
		if side, err := c.Register(t.Context(), "team"); err == nil && side != 1 && side != 2 {
			t.Errorf("registered as %v", side)
		} else if refused := cwhttp.RegisterCode(0); errors.As(err, &refused) && refused.Error() == "" {
			t.Error("a refusal without a sentence")
		}
		st, _, err := c.Status(t.Context())
		if err == nil {
			if back, err := (circuitwars.Game{}).Parse(st.Position.String()); err != nil || back.String() != st.Position.String() {
				t.Errorf("the status is the position %s, which is read as %v, %v", st.Position, back, err)
			}
		}
		if _, _, _, err := c.Move(t.Context(), "team", "0,0,top"); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
	})
}
