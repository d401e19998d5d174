// Package remote asks a book.Lookup over HTTP: Server answers, Client is a
// book.Source that asks a Server and says nothing when it is gone, so that
// the sources behind it go on alone.
//
//	GET  /v1/{game}/lookup?position=TEXT&time=500ms&moves=all&play=true
//	POST /v1/{game}/lookup?time=500ms            with the position as the body
//
// The answer is the engine.Decision as JSON. position is any notation of the
// game; time is the time that the answer may take; moves is best (the default) or
// all, for the value of every legal move; play is true if the move will be played
// in a game, see book.Question; with updates=true earlier, weaker decisions may
// come before the answer, one per line. Servers ignore unknown parameters. Errors
// have a status above 399 and {"error": "one line"}. Nothing that a request says
// changes anything on the server.
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
	// MaxTime is the most a request may ask for.
	MaxTime = 10 * time.Second
	// maxPositionBytes is the longest position text.
	maxPositionBytes = 64 << 10
	// maxWaiting is how many requests may wait for one game's sources.
	maxWaiting = 64
)

// metrics counts what all servers of the process have done; expvar shows it.
var metrics = expvar.NewMap("endwise.lookup")

// Served is a game that a Server answers for.
type Served struct {
	engine.Game
	// Open opens the sources: with Server.Open, else at the first request.
	Open func() (*book.Lookup, error)
}

// Server answers lookups of several games. Each game's sources answer one
// request at a time, in turn.
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

// Open opens the sources of all games, so that no request's time goes into that.
func (s *Server) Open() error {
	var group errgroup.Group
	for _, d := range s.games {
		group.Go(d.open)
	}
	return group.Wait()
}

// Close closes the sources that were opened.
func (s *Server) Close() error {
	var errs []error
	for _, d := range s.games {
		d.once.Do(func() { d.err = errors.New("the server is closed") })
		if d.lookup != nil {
			errs = append(errs, d.lookup.Close())
		}
	}
	return errors.Join(errs...)
}

// Handler answers the lookup path of all games.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/{game}/lookup", s.serveLookup)
	return mux
}

func (s *Server) serveLookup(w http.ResponseWriter, r *http.Request) {
	metrics.Add("requests", 1)
	q, status, err := s.question(w, r)
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
	case r.Context().Err() != nil: // nobody listens any more
		metrics.Add("gone", 1)
	default:
		metrics.Add("failed", 1)
		s.log.Error("lookup failed", "game", q.Position.Game(), "position", q.Position.String(), "cause", err)
		WriteError(w, http.StatusInternalServerError, errors.New("the lookup failed; the server's log says why"))
	}
}

// question reads a request.
func (s *Server) question(w http.ResponseWriter, r *http.Request) (q book.Question, status int, err error) {
	d := s.games[r.PathValue("game")]
	if d == nil {
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
	if q.Position, err = d.Parse(text); err != nil {
		return q, http.StatusBadRequest, err
	}
	q.Clock = engine.ClockFor(limit)
	return q, 0, nil
}

// PositionText takes the position from a GET's query or a POST's body, "" for
// none. status goes with the error.
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

// ReadBody reads a request's body, what is called the given, of at most so many
// bytes. status goes with the error.
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

// WriteJSON answers with a value.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // the client may be gone; nothing to do about it
}

// WriteError answers with {"error": …}.
func WriteError(w http.ResponseWriter, status int, err error) {
	WriteJSON(w, status, map[string]string{"error": err.Error()})
}
