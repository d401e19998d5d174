// Package remote provides a [book.Lookup] over HTTP: a [Client] queries a [Server].
//
//	GET  /v1/{game}/lookup?position=TEXT&time=500ms&moves=all&play=true
//	POST /v1/{game}/lookup?time=500ms            with the position as the body
//
// position is in any notation of the game. time, moves and play are the options of
// [book.ReadOptions]. Unknown parameters are ignored.
//
// The answer is an [engine.Decision] as JSON. With the parameter updates=true, earlier decisions may
// come before it, one per line. Errors have a status of at least 400 and the body {"error": TEXT};
// after an earlier decision, this object is the last line of a response with status 200.
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

const (
	// MaxTime is the maximum time that a request may specify.
	MaxTime          = 10 * time.Second
	maxPositionBytes = 64 << 10
	// maxWaiting is the maximum number of requests to a game's sources, with the one being answered.
	maxWaiting = 64
)

// metrics counts the requests of all servers of the process; expvar publishes it.
var metrics = expvar.NewMap("endwise.lookup")

type Served struct {
	engine.Game
	// Open opens the sources. It is called by Server.Open, or at the first request.
	Open func() (*book.Lookup, error)
}

// Server answers lookups of several games. The sources of a game answer one request at a time.
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
		s.games[g.Name()] = &queue{
			Served:  g,
			turn:    make(chan struct{}, 1),
			waiting: make(chan struct{}, maxWaiting),
		}
	}
	return s
}

// Open opens the sources of all games concurrently and returns the first error.
func (s *Server) Open() error {
	var group errgroup.Group
	for _, g := range s.games {
		group.Go(g.openSources)
	}
	return group.Wait()
}

// Close closes the open sources. No request may be running. Other sources can no longer be opened.
func (s *Server) Close() error {
	var errs []error
	for _, g := range s.games {
		g.once.Do(func() { g.err = errors.New("the server is closed") })
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

// serveLookup answers a request as the package comment describes.
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

// readQuestion reads the question of a request. If err is not nil, status is the answer's HTTP status.
func (s *Server) readQuestion(w http.ResponseWriter, r *http.Request) (q book.Question, status int, err error) {
	g := s.games[r.PathValue("game")]
	if g == nil {
		known := strings.Join(slices.Sorted(maps.Keys(s.games)), ", ")
		err := fmt.Errorf("%w %.40q; known are %s", errUnknownGame, r.PathValue("game"), known)
		return q, http.StatusNotFound, err
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

// PositionText returns the text of the position in the query of a GET or HEAD request or in the body
// of a POST request, "" if there is none. If err is not nil, status is the HTTP status of the answer.
// For other methods, PositionText returns an error and sets the header Allow.
func PositionText(w http.ResponseWriter, r *http.Request) (text string, status int, err error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return r.URL.Query().Get("position"), http.StatusOK, nil
	case http.MethodPost:
		data, status, err := ReadBody(w, r, "position", maxPositionBytes)
		return string(data), status, err
	}
	w.Header().Set("Allow", "GET, HEAD, POST")
	return "", http.StatusMethodNotAllowed, fmt.Errorf("method %.40s: want GET or POST", r.Method)
}

// ReadBody reads the body of a request, at most maxBytes. name is the name of the body in errors.
// status is 200, or the HTTP status that fits err.
func ReadBody(
	w http.ResponseWriter, r *http.Request, name string, maxBytes int64,
) (body []byte, status int, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("%s: longer than %d bytes", name, maxBytes)
	}
	if err != nil {
		return nil, http.StatusBadRequest, errors.New("the body could not be read")
	}
	return body, http.StatusOK, nil
}

// WriteJSON answers a request with a status and v as JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // an error means that the client has disconnected
}

func WriteError(w http.ResponseWriter, status int, err error) {
	WriteJSON(w, status, map[string]string{"error": err.Error()})
}
