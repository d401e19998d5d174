package dabws

import (
	"cmp"
	"context"
	"fmt"
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
	// maxConnections bounds the open sockets, maxGames the games on one of
	// them. Pages leave sockets open at every restart; the bound is far above
	// what that makes in a day of play.
	maxConnections = 1024
	maxGames       = 64
	// requestLimit bounds the time of a request and that between two of them,
	// until it has become a websocket; writeLimit that of sending a message.
	requestLimit = 10 * time.Second
	writeLimit   = 10 * time.Second
)

// Agent is a websocket server that plays Dots and Boxes (in connection.go): any number of games
// at once, either side or both of the same game. It is an http.Handler and
// takes websockets on any path.
type Agent struct {
	// Player chooses the moves of all games; it must be safe for several
	// goroutines.
	Player engine.Player
	// Overhead is kept back from the time limit for the network, at most half of the
	// limit; the player keeps back engine.Reserve.
	Overhead time.Duration
	// Ponder lets a player that is an engine.Ponderer think in its opponents' time.
	Ponder bool
	// Origins are those of the pages that may connect, for instance
	// https://example.org; empty means all pages. Programs always may.
	Origins []string
	// Moved, if not nil, is called with each decision in a game and the time it took.
	Moved func(game string, p dotsandboxes.Position, d engine.Decision, took time.Duration)
	// Log receives games, late or unsearched moves and odd messages; nil discards.
	Log *slog.Logger

	connections atomic.Int32
	pondering   pondering
	turns       turns
	late        *engine.WakeDelay // nil for MachineWakeDelay; tests have another one
}

// Serve answers on ln, with an Agent or several under paths of their own, until
// the context ends, and closes it. No game waits for its end.
func Serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler:        h,
		ReadTimeout:    requestLimit, // of the request; a websocket has none
		WriteTimeout:   requestLimit,
		IdleTimeout:    requestLimit,
		MaxHeaderBytes: maxMessage,
		ErrorLog:       slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // broken requests are the client's affair
		BaseContext:    func(net.Listener) context.Context { return ctx },
	}
	if err := httpd.Serve(ctx, srv, ln, 0); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// ServeHTTP takes one connection and plays on it until it closes.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	log := cmp.Or(a.Log, slog.New(slog.DiscardHandler)).With("from", r.RemoteAddr)
	if origin := r.Header.Get("Origin"); origin != "" && len(a.Origins) > 0 && !slices.ContainsFunc(a.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
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
		InsecureSkipVerify: true, // Origins has decided
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
	c.read(ctx)
}
