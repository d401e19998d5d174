package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	"endwise/book/remote"
	"endwise/engine/circuitwars"
)

// A player with lookup=ADDRESS requests moves from that server and continues alone if the
// server stops.
func TestArenaPlayerAsksAServer(t *testing.T) {
	lookups := remote.NewServer(nil, remote.Served{Game: circuitwars.Game{}, Open: func() (*book.Lookup, error) {
		return cwbook.Open(book.Options{Threads: 1, HashBytes: 1 << 20})
	}})
	defer lookups.Close()
	var asked atomic.Int64
	handler := lookups.Handler()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 5 {
			http.Error(w, "gone", http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer srv.Close()
	args := []string{"arena", "circuitwars", "endwise:hash=8,store=none,lookup=" + srv.URL, "level1",
		"--board", "2x3", "--games", "2", "--time", "20s"}
	code, out, errs := endwise(t, args...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if asked.Load() < 6 {
		t.Errorf("asked %d times, want it to go on until the server was gone", asked.Load())
	}
	if !strings.Contains(out, "endwise against level1: 2 games") || strings.Contains(out, "Forfeited or stopped") {
		t.Error(out)
	}
	srv.Close()
	for address, want := range map[string]string{"nowhere": `address "nowhere": want http://HOST:PORT`, srv.URL: "refused"} {
		args[2] = "endwise:lookup=" + address
		if code, _, errs := endwise(t, args...); code != exitBadInput || !strings.Contains(errs, "player endwise: lookup="+address+": ") || !strings.Contains(errs, want) {
			t.Errorf("exit code %d: %s", code, errs)
		}
	}
}
