package httpd

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A request in progress is finished when the context ends, unless it takes longer than the
// grace period.
func TestServeEndsWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		grace time.Duration
		whole bool
	}{"finished": {time.Hour, true}, "cut off": {0, false}} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			testenv.OK(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			begun, release := make(chan struct{}), make(chan struct{})
			srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(begun)
				select {
				case <-release:
				case <-r.Context().Done():
				}
				_, _ = io.WriteString(w, "whole")
			})}
			over := make(chan error, 1)
			go func() { over <- Serve(ctx, srv, ln, c.grace) }()
			answer := make(chan string, 1)
			go func() {
				resp, err := http.Get("http://" + ln.Addr().String())
				if err != nil {
					answer <- ""
					return
				}
				defer resp.Body.Close()
				text, _ := io.ReadAll(resp.Body)
				answer <- string(text)
			}()
			<-begun
			cancel()
			if c.whole {
				close(release)
			}
			if got := <-answer; (got == "whole") != c.whole {
				t.Errorf("the answer is %q", got)
			}
			if err := <-over; err != nil {
				t.Error(err)
			}
			if conn, err := net.Dial("tcp", ln.Addr().String()); err == nil {
				conn.Close()
				t.Error("it still listens")
			}
		})
	}
}

func TestServeOnAClosedListener(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	ln.Close()
	if err := Serve(t.Context(), &http.Server{}, ln, time.Hour); err == nil {
		t.Error("no error")
	}
}
