// Package remote provides a [book.Lookup] over HTTP. [Server] answers requests, and
// [Client] is a [book.Source] that queries a Server and records nothing if it is
// unreachable, so that the sources after it answer.
//
//	GET  /v1/{game}/lookup?position=TEXT&time=500ms&moves=all&play=true
//	POST /v1/{game}/lookup?time=500ms            with the position as the body
//
// The answer is the [engine.Decision] as JSON. position is any notation of the game; time
// is the time for the answer; moves is best (the default) or all, for the value of every
// legal move; play is true if the move will be played in a game, see [book.Question]; with
// updates=true earlier, weaker decisions may come before the answer, one per line. Servers
// ignore unknown parameters. Errors have a status above 399 and {"error": "one line"}. No
// request changes anything on the server.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"endwise/book"
	"endwise/engine"
)

// Limits of a request.
const (
	// MaxTime is the maximum time that a request may specify.
	MaxTime = 10 * time.Second
	// maxPositionBytes is the maximum length of a position's text.
	maxPositionBytes = 64 << 10
	// maxWaiting is the maximum number of requests that wait for one game's sources.
	maxWaiting = 64
)

// metrics counts the requests of all servers of the process; expvar publishes it.
var metrics = expvar.NewMap("endwise.lookup")

// Served is a game of a [Server].
type Served struct {
	engine.Game
	// Open opens the sources. It is called by Server.Open, or at the first request.
	Open func() (*book.Lookup, error)
}

// Server answers lookups of several games. Each game's sources answer one request at a
// time, in the order of arrival.
type Server struct {
	games map[string]*queue
	log   *slog.Logger
}

// NewServer returns a server for the games. log may be nil.
func NewServer(log *slog.Logger, games ...Served) *Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{games: map[string]*queue{}, log: log}
	for _, g := range games {
		s.games[g.Name()] = &queue{Served: g, turn: make(chan struct{}, 1), waiting: make(chan struct{}, maxWaiting)}
	}
	return s
}

// Open opens the sources of all games, so that no request has to wait for it.
func (s *Server) Open() error {
	var group errgroup.Group
	for _, g := range s.games {
		group.Go(g.openSources)
	}
	return group.Wait()
}

// Close closes the open sources.
func (s *Server) Close() error {
	var errs []error
	for _, g := range s.games {
		g.once.Do(func() { g.err = errors.New("the server is closed") }) // if they are not open
		if g.lookup != nil {
			errs = append(errs, g.lookup.Close())
		}
	}
	return errors.Join(errs...)
}

// Handler returns a handler for the lookup path of all games.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/{game}/lookup", s.serveLookup)
	return mux
}

// serveLookup answers one request.
func (s *Server) serveLookup(w http.ResponseWriter, r *http.Request) {
	metrics.Add("requests", 1)
	q, status, err := s.readQuestion(w, r)
	if err != nil {
		metrics.Add("refused", 1)
		WriteError(w, status, err)
		return
	}
	left, _ := q.Clock.Remaining()
	ctx, cancel := context.WithTimeout(r.Context(), left+time.Second)
	defer cancel()
	answer := func(d engine.Decision) { WriteJSON(w, http.StatusOK, d) }
	if r.URL.Query().Get("updates") == "true" {
		w.Header().Set("Cache-Control", "no-store")
		answer = func(d engine.Decision) { json.NewEncoder(w).Encode(d) }
		q.Improved = func(d engine.Decision) {
			answer(d)
			http.NewResponseController(w).Flush()
		}
	}
	d, err := s.Decide(ctx, q)
	switch {
	case err == nil || errors.Is(err, engine.ErrGameOver):
		answer(d)
	case errors.Is(err, ErrBusy), errors.Is(err, context.DeadlineExceeded):
		metrics.Add("busy", 1)
		w.Header().Set("Retry-After", "1")
		WriteError(w, http.StatusServiceUnavailable, ErrBusy)
	case r.Context().Err() != nil: // the client has disconnected
		metrics.Add("gone", 1)
	default:
		metrics.Add("failed", 1)
		s.log.Error("lookup failed", "game", q.Position.Game(), "position", q.Position.String(), "cause", err)
		WriteError(w, http.StatusInternalServerError, errors.New("the lookup failed; the server's log says why"))
	}
}

// readQuestion reads a request. status belongs to err.
func (s *Server) readQuestion(w http.ResponseWriter, r *http.Request) (q book.Question, status int, err error) {
	g := s.games[r.PathValue("game")]
	if g == nil {
		known := strings.Join(slices.Sorted(maps.Keys(s.games)), ", ")
		return q, http.StatusNotFound, fmt.Errorf("%w %.40q; known are %s", errUnknownGame, r.PathValue("game"), known)
	}
	q, limit, err := book.ReadOptions(r.URL.Query().Get, MaxTime)
	if err != nil {
		return q, http.StatusBadRequest, err
	}
	text, status, err := PositionText(w, r)
	if err != nil {
		return q, status, err
	}
	if strings.TrimSpace(text) == "" {
		return q, http.StatusBadRequest, book.ErrNoPosition
	}
	if q.Position, err = g.Parse(text); err != nil {
		return q, http.StatusBadRequest, err
	}
	q.Clock = engine.ClockFor(limit)
	return q, 0, nil
}

// PositionText returns the position in a GET's query or a POST's body, "" if there is none.
// status belongs to err.
func PositionText(w http.ResponseWriter, r *http.Request) (text string, status int, err error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		text = r.URL.Query().Get("position")
	case http.MethodPost:
		data, status, err := ReadBody(w, r, "position", maxPositionBytes)
		if err != nil {
			return "", status, err
		}
		text = string(data)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		return "", http.StatusMethodNotAllowed, fmt.Errorf("method %.40s: want GET or POST", r.Method)
	}
	return text, 0, nil
}

// ReadBody reads a request's body of at most the given number of bytes; what names it in
// errors. status belongs to err.
func ReadBody(w http.ResponseWriter, r *http.Request, what string, most int64) (body []byte, status int, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("%s: longer than %d bytes", what, most)
	}
	if err != nil {
		return nil, http.StatusBadRequest, errors.New("the body could not be read")
	}
	return body, http.StatusOK, nil
}

// WriteJSON writes a value as the answer.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // an error means that the client has disconnected
}

// WriteError writes {"error": …} as the answer.
func WriteError(w http.ResponseWriter, status int, err error) {
	WriteJSON(w, status, map[string]string{"error": err.Error()})
}
