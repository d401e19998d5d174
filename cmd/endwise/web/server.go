package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/remote"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/levels"
	"endwise/engine/wire/httpd"
)

// Game describes a game for the pages.
type Game struct {
	answer.Game
	Boards []string // sizes to offer, the usual one first
	// Sides are the names of the two sides.
	Sides [2]string
	// Positions is a short description of the position formats.
	Positions string
	// Records is a short description of the game's own record formats, "" if there are none
	// besides the plain format.
	Records string
	// Moves is a short list of moves, as an example.
	Moves string
	// Example is the position that Explore shows first: one move is better than all others.
	Example string
	// Open opens sources. It is called once for lookups and once for analyses.
	Open func() (*book.Lookup, error)
}

// WithNames returns a text in which the names of the players replace those of the sides. An empty
// name replaces nothing.
func (g Game) WithNames(text string, players [2]string) string {
	var names []string // each followed by its replacement
	for i, side := range g.Sides {
		inside := strings.ToLower(side[:1]) + side[1:] // "player 1" within a sentence
		names = append(names, side, cmp.Or(players[i], side), inside, cmp.Or(players[i], inside))
	}
	return strings.NewReplacer(names...).Replace(text)
}

// Games lists the games of the pages.
type Games []Game

// Named returns the game with a name, or the zero Game.
func (all Games) Named(name string) Game {
	for _, g := range all {
		if g.Name() == name {
			return g
		}
	}
	return Game{}
}

// Config configures a [Site].
type Config struct {
	Games Games
	// Hosts are further names of this machine, besides those that httpd.Foreign accepts.
	Hosts []string
	// Exercises are shown on the practise page in addition to generated ones.
	Exercises []analysis.Exercise
	// Rate is the number of requests per second that a client may send; 0 means no limit. Burst is
	// the maximum number in a burst, at least 1 in any case.
	Rate  float64
	Burst int
	Log   *slog.Logger
}

// analysisTimeout is the maximum time from reading a record to the end of the answer.
const analysisTimeout = 130 * time.Second

// Site serves the pages play, explore, analyse and practise, the requests that they send,
// and the lookup of package remote:
//
//	GET       /                      the home page, and /play /explore /analyse /practise
//	GET       /v1/games              the games, their boards and levels
//	GET       /v1/recorded           a game of each kind, for the home page
//	GET POST  /v1/{game}/lookup      see package remote
//	GET POST  /v1/{game}/view        this and the following: see package answer
//	GET POST  /v1/{game}/why
//	GET POST  /v1/{game}/choose
//	GET       /v1/{game}/exercise
//	POST      /v1/analysis           the record is the body; the answer is one JSON object per line
//	GET       /healthz, /debug/vars  health, metrics
//
// A position is the body of a POST, or the parameter position of a GET. The site stores nothing about
// clients: games are stored in the browser. Requests that a browser sends on behalf of another site
// are refused.
type Site struct {
	cfg      Config
	lookup   *remote.Server
	analyses *remote.Server
	answers  *answer.Handler
	handler  http.Handler
}

// NewSite returns the site. Open it before the first request, so that no client waits for
// tables, and close it after use.
func NewSite(cfg Config) (*Site, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	limit, err := remote.NewRateLimit(cfg.Rate, cfg.Burst)
	if err != nil {
		return nil, err
	}
	s := &Site{cfg: cfg}
	var served []remote.Served
	var games []answer.Game
	for _, g := range cfg.Games {
		games = append(games, g.Game)
		served = append(served, remote.Served{Game: g.Rules.Game, Open: g.Open})
	}
	s.lookup, s.analyses = remote.NewServer(cfg.Log, served...), remote.NewServer(cfg.Log, served...)
	s.answers = answer.NewHandler(answer.Handler{Games: games, Lookups: s.lookup, Analyses: s.analyses, MaxTime: remote.MaxTime, Exercises: cfg.Exercises})
	replays, err := cfg.Games.recorded()
	if err != nil {
		return nil, err
	}
	api := http.NewServeMux()
	api.Handle("/v1/{game}/lookup", s.lookup.Handler())
	api.HandleFunc("GET /v1/games", s.serveGames)
	api.HandleFunc("GET /v1/recorded", func(w http.ResponseWriter, _ *http.Request) { remote.WriteJSON(w, http.StatusOK, replays) })
	api.HandleFunc("POST /v1/analysis", s.answer)
	api.HandleFunc("GET /v1/{game}/exercise", s.answer)
	api.HandleFunc("/v1/", s.answer)
	mux := http.NewServeMux()
	mux.Handle("/v1/", limit.Limit(api))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		remote.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /debug/vars", serveMetrics)
	if err := s.handlePages(mux); err != nil {
		return nil, err
	}
	mux.HandleFunc("GET /web/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if path.Ext(name) == ".html" {
			http.NotFound(w, r)
			return
		}
		serveFile(w, r, name)
	})
	s.handler = sameSite(mux, cfg.Hosts)
	return s, nil
}

// handlePages registers the pages. An address with a slash after the name of a page is redirected to
// it. Other addresses, and those with an unknown game, get the page missing.
func (s *Site) handlePages(mux *http.ServeMux) error {
	html, err := page(missing, sitePages, s.cfg.Games, "")
	if err != nil {
		return err
	}
	notFound := func(w http.ResponseWriter, r *http.Request) {
		asked := template.HTMLEscapeString(fmt.Sprintf("%.200s", r.URL.RequestURI()))
		servePage(bytes.Replace(html, []byte(askedAddress), []byte(asked), 1), http.StatusNotFound)(w, r)
	}
	mux.HandleFunc("/", notFound)
	unknownGame := func(name string) bool {
		isNamed := func(g Game) bool { return g.Rules.Name() == name }
		return name != "" && !slices.ContainsFunc(s.cfg.Games, isNamed)
	}
	pages := map[string]string{"GET /{$}": "index"}
	for _, p := range sitePages {
		pages["GET /"+p.Name] = p.Name
		mux.HandleFunc("GET /"+p.Name+"/{$}", func(w http.ResponseWriter, r *http.Request) {
			to := url.URL{Path: "/" + p.Name, RawQuery: r.URL.RawQuery}
			http.Redirect(w, r, to.String(), http.StatusMovedPermanently)
		})
	}
	for pattern, name := range pages {
		html, err := page(name, sitePages, s.cfg.Games, "")
		if err != nil {
			return err
		}
		found := servePage(html, http.StatusOK)
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if unknownGame(r.URL.Query().Get("game")) {
				notFound(w, r)
				return
			}
			found.ServeHTTP(w, r)
		})
	}
	return nil
}

// Open opens the sources for lookups; the first analysis opens those for analyses.
func (s *Site) Open() error { return s.lookup.Open() }

// Close closes the sources.
func (s *Site) Close() error { return errors.Join(s.lookup.Close(), s.analyses.Close()) }

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// sameSite refuses requests that a browser sends on behalf of another site:
//
//   - if Origin names another site;
//   - if Sec-Fetch-Site says that they come from another site, unless they follow a link;
//   - if Host is not a name of this machine ([httpd.Foreign]).
//
// Programs other than browsers send neither Origin nor Sec-Fetch-Site.
func sameSite(next http.Handler, hosts []string) http.Handler {
	refused := func(w http.ResponseWriter, why string) {
		remote.WriteError(w, http.StatusForbidden, errors.New(why))
	}
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refused(w, "requests from another site are refused")
	}))
	protected := origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSecurityHeaders(w.Header(), policy)
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			refused(w, "requests from another site are refused")
			return
		}
		if err := httpd.Foreign(r, hosts...); err != nil {
			refused(w, err.Error())
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// serveMetrics serves the metrics of the process, without its command line.
func serveMetrics(w http.ResponseWriter, _ *http.Request) {
	metrics := map[string]json.RawMessage{}
	expvar.Do(func(v expvar.KeyValue) {
		if v.Key != "cmdline" {
			metrics[v.Key] = json.RawMessage(v.Value.String())
		}
	})
	remote.WriteJSON(w, http.StatusOK, metrics)
}

// serveGames answers with the entries of all games. They include the number of prepared exercises and
// the teams whose mistakes these show.
func (s *Site) serveGames(w http.ResponseWriter, _ *http.Request) {
	all := s.cfg.Games.entries()
	for i := range all {
		prepared := s.answers.PreparedExercises(all[i].Name, "")
		all[i].Exercises = len(prepared)
		for _, e := range prepared {
			if e.By != "" && !slices.Contains(all[i].Teams, e.By) {
				all[i].Teams = append(all[i].Teams, e.By)
			}
		}
		slices.Sort(all[i].Teams)
	}
	remote.WriteJSON(w, http.StatusOK, all)
}

// entry describes a game to the pages.
type entry struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Unit      string   `json:"unit"`
	Units     string   `json:"units"`
	Points    string   `json:"points"`
	Positions string   `json:"positions"`
	Example   string   `json:"example"`
	Sides     []string `json:"sides"` // the name for no side, then those of the two sides
	Boards    []string `json:"boards"`
	Notations []string `json:"notations"` // in which the game can be copied
	Levels    []string `json:"levels"`
	Exercises int      `json:"exercises,omitempty"` // number of prepared exercises
	Teams     []string `json:"teams,omitempty"`     // whose mistakes these are
}

// entries returns the descriptions of the games for the pages, without exercises.
func (all Games) entries() []entry {
	out := []entry{}
	for _, g := range all {
		out = append(out, entry{
			Name: g.Name(), Title: g.Title(), Unit: g.Unit, Units: g.Units, Points: g.Points, Positions: g.Positions, Example: g.Example,
			Sides: []string{"nobody", g.Sides[0], g.Sides[1]}, Boards: g.Boards,
			Notations: g.Notations(), Levels: levels.Names(g.Name()),
		})
	}
	return out
}

// answer passes a request to the handler. The answer is one JSON object, or one per line if
// there are updates.
func (s *Site) answer(w http.ResponseWriter, r *http.Request) {
	q := answer.Question{What: strings.TrimPrefix(r.URL.Path, "/v1/"), Params: r.URL.Query().Get}
	var status int
	var err error
	if q.What == "analysis" {
		var data []byte
		data, status, err = remote.ReadBody(w, r, "record", analysis.MaxRecordBytes)
		q.Body = string(data)
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(analysisTimeout))
	} else {
		q.Body, status, err = remote.PositionText(w, r)
	}
	if err != nil {
		remote.WriteError(w, status, err)
		return
	}
	begun := false
	lines := json.NewEncoder(w)
	a, err := s.answers.Answer(r.Context(), q, func(update any) {
		if !begun {
			w.Header().Set("Content-Type", "application/x-ndjson")
			w.Header().Set("Cache-Control", "no-store")
			begun = true
		}
		lines.Encode(update) // the context ends if the client has gone
		http.NewResponseController(w).Flush()
	})
	status = http.StatusOK
	if err != nil {
		status, err = s.refusal(r, q, err)
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		a = map[string]string{"error": err.Error()}
	}
	if begun {
		lines.Encode(a)
	} else {
		remote.WriteJSON(w, status, a)
	}
}

// refusal returns the HTTP status for an error of the handler, and the error for the client.
// Internal errors are logged and not shown to the client.
func (s *Site) refusal(r *http.Request, q answer.Question, err error) (status int, shown error) {
	var refused *answer.Refusal
	switch {
	case errors.As(err, &refused):
		return refused.Status, err
	case errors.Is(err, remote.ErrBusy) || errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, remote.ErrBusy
	case r.Context().Err() == nil: // otherwise the client has gone
		s.cfg.Log.Error("no answer", "to", q.What, "cause", err)
	}
	return http.StatusInternalServerError, errors.New("internal error; the server's log has the reason")
}
