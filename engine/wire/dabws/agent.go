package dabws

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/wire/httpd"
)

const (
	maxConnections = 1024             // open sockets
	maxGames       = 64               // games on a socket
	requestLimit   = 10 * time.Second // of an HTTP request and of an idle connection, not of a websocket
	writeLimit     = 10 * time.Second // to send a message
)

// Agent is an http.Handler that accepts websockets on any path. It plays one or both sides of each
// of its games, which run concurrently.
type Agent struct {
	// Player must be safe for concurrent use.
	Player engine.Player
	// Overhead is the part of a move's time limit that is kept for the network, at most half of the limit.
	Overhead time.Duration
	// Ponder lets a player that is an [engine.Ponderer] think in the opponents' time.
	Ponder bool
	// Origins lists the pages that may connect, for instance https://example.org; empty
	// means all pages. Requests without the header Origin are always accepted.
	Origins []string
	// Moved, if not nil, is called after each move that the player chose. took is the time from the
	// arrival of the message that gave the agent the turn.
	Moved func(game string, p dotsandboxes.Position, d engine.Decision, took time.Duration)
	// Log receives starts and ends of games, late or unsearched moves, and unusable messages; nil
	// discards them.
	Log *slog.Logger

	connections atomic.Int32
	pondering   pondering
	turns       turns
	wakeDelay   *engine.WakeDelay // nil means MachineWakeDelay
}

// Serve serves h on ln until ctx ends, and closes ln. Games in progress are cut off.
func Serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler:        h,
		ReadTimeout:    requestLimit, // not of a websocket
		WriteTimeout:   requestLimit,
		IdleTimeout:    requestLimit,
		MaxHeaderBytes: maxMessage,
		ErrorLog:       log.New(io.Discard, "", 0),
		BaseContext:    func(net.Listener) context.Context { return ctx },
	}
	if err := httpd.Serve(ctx, srv, ln, 0); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// allows reports whether a page of an origin, or a program (""), may connect.
func (a *Agent) allows(origin string) bool {
	listed := func(o string) bool { return strings.EqualFold(o, origin) }
	return origin == "" || len(a.Origins) == 0 || slices.ContainsFunc(a.Origins, listed)
}

// ServeHTTP accepts a websocket and plays on it until it closes.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	log := cmp.Or(a.Log, slog.New(slog.DiscardHandler)).With("from", r.RemoteAddr)
	if origin := r.Header.Get("Origin"); !a.allows(origin) {
		log.Warn("refused: not one of the allowed origins", "origin", origin)
		http.Error(w, "origin not allowed", http.StatusForbidden)
		return
	}
	if r.Header.Get("Upgrade") == "" {
		fmt.Fprintln(w, "This is a Dots and Boxes agent. Connect to it by websocket.")
		return
	}
	defer a.connections.Add(-1)
	if a.connections.Add(1) > maxConnections {
		log.Warn("refused: too many connections", "open", maxConnections)
		http.Error(w, "too many connections", http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // Origins was checked above
		CompressionMode:    websocket.CompressionContextTakeover,
	})
	if err != nil {
		log.Warn("no websocket", "cause", err)
		return
	}
	defer conn.CloseNow()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &connection{agent: a, conn: conn, log: log, games: map[string]*game{}}
	defer c.thinking.Wait()
	defer cancel()
	c.handleMessages(ctx)
}
