package cwhttp

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"endwise/engine/wire/httpd"
)

const (
	maxConnections  = 256
	headerTimeout   = 5 * time.Second
	requestTimeout  = 10 * time.Second
	maxRequestBytes = 16 << 10
	shutdownGrace   = time.Second
)

// Serve answers on ln until ctx ends, then gives open requests a second to finish. It
// closes ln and abandons a game in progress. The error is nil if ctx ended the server.
//
// Every connection carries one request. Beyond maxConnections, the connection that has been silent
// longest is closed.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	defer s.Close()
	limit := newConnectionLimit(maxConnections)
	srv := &http.Server{
		Handler:           http.HandlerFunc(s.serveOwn),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      requestTimeout,
		MaxHeaderBytes:    maxRequestBytes,
		ConnState:         limit.observe,
		ErrorLog:          log.New(io.Discard, "", 0), // malformed requests are not logged
	}
	srv.SetKeepAlivesEnabled(false)
	return httpd.Serve(ctx, srv, ln, shutdownGrace)
}

// serveOwn refuses foreign requests and serves the others.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request) {
	if err := httpd.Foreign(r, s.cfg.Hosts...); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	s.ServeHTTP(w, r)
}

// connectionLimit limits the number of open connections. Beyond the limit it closes the oldest
// connection that has not sent any byte of a request.
type connectionLimit struct {
	max int

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	silent []net.Conn // open and without a request, oldest first
}

func newConnectionLimit(limit int) *connectionLimit {
	return &connectionLimit{max: limit, open: map[net.Conn]struct{}{}}
}

// observe is the ConnState function of the server.
func (l *connectionLimit) observe(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateNew:
		l.open[c] = struct{}{}
		l.silent = append(l.silent, c)
		if len(l.open) > l.max {
			// The new connection is silent itself, so there is at least one.
			l.silent[0].Close()
			delete(l.open, l.silent[0])
			l.silent = l.silent[1:]
		}
	case http.StateActive:
		l.removeSilent(c)
	case http.StateClosed, http.StateHijacked:
		l.removeSilent(c)
		delete(l.open, c)
	}
}

func (l *connectionLimit) removeSilent(c net.Conn) {
	if i := slices.Index(l.silent, c); i >= 0 {
		l.silent = slices.Delete(l.silent, i, i+1)
	}
}
