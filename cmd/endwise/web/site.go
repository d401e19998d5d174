package web

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/remote"
	"endwise/engine"
	"endwise/engine/levels"
	"endwise/engine/wire/httpd"
)

// Game is what the pages know of a game.
type Game struct {
	analysis.Rules
	Boards []string // sizes to offer, the usual one first; "" stands for it
	// Sides are what the players are called.
	Sides [2]string
	// Points is what estimates count, in hundredths, where values count
	// nothing: "pieces"; "" for nothing that has a name.
	Points string
	// Positions says in a few words what positions are read from.
	Positions string
	// Records says in a few words what the game's own records are, "" where it
	// has only the plain format.
	Records string
	// Open opens sources for lookups and, once more, for analyses.
	Open func() (*book.Lookup, error)
	// NearEnd gives a position near the end of a game, for exercises; nil
	// where playing from the first one gets there soon.
	NearEnd func(*rand.Rand) engine.Position
	// Readers read the game's records.
	Readers []analysis.Reader
}

// Games are the games that the pages know.
type Games []Game

// Named is the game of a name, the zero Game for one that is not there.
func (all Games) Named(name string) Game {
	for _, g := range all {
		if g.Rules.Game != nil && g.Name() == name {
			return g
		}
	}
	return Game{}
}

// Config says what a Site shows.
type Config struct {
	Games Games
	// Hosts are names of this machine beside those that httpd.Foreign knows.
	Hosts []string
	// Exercises are shown on the practise page besides the ones that are made.
	Exercises []analysis.Exercise
	// Rate and Burst limit the requests of a client, a second and at once;
	// a rate of 0 sets no limit.
	Rate  float64
	Burst int
	Log   *slog.Logger
}

// Limits of the pages' own requests.
const (
	// analysisTime is the time for a position in an analysis on the page,
	// analysisTotal the time for all of it.
	analysisTime  = 500 * time.Millisecond
	analysisTotal = 2 * time.Minute
	// maxAnalyses is how many analyses may run at once.
	maxAnalyses = 2
	// exerciseTime is the time to solve a position while an exercise is made,
	// exerciseTotal the time for all of it.
	exerciseTime  = 300 * time.Millisecond
	exerciseTotal = 8 * time.Second
)

// Site is the pages play, explore, analyse and practise with the requests
// that they send, and the lookup of package remote:
//
//	GET  /                             the pages: /play /explore /analyse /practise
//	GET  /v1/games                     the games, their boards and levels
//	     /v1/{game}/lookup             see package remote
//	     /v1/{game}/view               a position as the pages draw it, after a move
//	     /v1/{game}/choose             a level's or the engine's move
//	GET  /v1/{game}/exercise           a position with one move that holds
//	POST /v1/analysis                  a game record's analysis, a JSON object a line
//	GET  /healthz, /debug/vars         health, metrics
//
// It keeps no state for its visitors: games live in the browser. Requests
// that a browser sends on behalf of another site are refused.
type Site struct {
	cfg       Config
	lookup    *remote.Server
	analyses  *remote.Server
	analysing chan struct{}
	handler   http.Handler
	levels    [levels.Count]*levels.Level
}

// NewSite returns the site. Open it before it is asked, so that no visitor waits
// for tables, and close it after use.
func NewSite(cfg Config) (*Site, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	limit, err := remote.NewRateLimit(cfg.Rate, cfg.Burst)
	if err != nil {
		return nil, err
	}
	s := &Site{cfg: cfg, analysing: make(chan struct{}, maxAnalyses)}
	var served []remote.Served
	for _, g := range cfg.Games {
		served = append(served, remote.Served{Game: g.Rules.Game, Open: g.Open})
	}
	s.lookup, s.analyses = remote.NewServer(cfg.Log, served...), remote.NewServer(cfg.Log, served...)
	for i := range s.levels {
		if s.levels[i], err = levels.New(i+1, rand.Uint64()); err != nil {
			return nil, err
		}
	}
	api := http.NewServeMux()
	api.Handle("/v1/{game}/lookup", s.lookup.Handler())
	api.HandleFunc("GET /v1/games", s.serveGames)
	api.HandleFunc("/v1/{game}/view", s.serveView)
	api.HandleFunc("/v1/{game}/choose", s.serveChoose)
	api.HandleFunc("GET /v1/{game}/exercise", s.serveExercise)
	api.HandleFunc("POST /v1/analysis", s.serveAnalysis)
	api.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		remote.WriteError(w, http.StatusNotFound, errors.New("no such path; the pages are at /, lookups at /v1/GAME/lookup"))
	})
	mux := http.NewServeMux()
	mux.Handle("/v1/", limit.Limit(api))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		remote.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.Handle("GET /debug/vars", expvar.Handler())
	for _, p := range append([]sitePage{{"{$}", "", "index"}}, sitePages...) {
		h, err := page(p, cfg.Games)
		if err != nil {
			return nil, err
		}
		mux.Handle("GET /"+p.Path, h)
	}
	mux.HandleFunc("GET /web/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if !strings.HasSuffix(name, ".js") && !strings.HasSuffix(name, ".css") {
			http.NotFound(w, r)
			return
		}
		serveFile(w, r, name, policy)
	})
	s.handler = sameSite(mux, cfg.Hosts)
	return s, nil
}

// Open opens the sources that answer lookups; those of analyses are opened when
// the first one is asked for.
func (s *Site) Open() error { return s.lookup.Open() }

// Close closes the sources.
func (s *Site) Close() error { return errors.Join(s.lookup.Close(), s.analyses.Close()) }

// ServeHTTP implements http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// sameSite refuses what a browser sends on behalf of another site: requests
// with a body by their Origin, any request that is not a plain link by
// Sec-Fetch-Site, and requests to a name that is not this machine's
// (httpd.Foreign). Programs send none of these headers and pass.
func sameSite(next http.Handler, hosts []string) http.Handler {
	refused := func(w http.ResponseWriter, why string) {
		remote.WriteError(w, http.StatusForbidden, errors.New(why))
	}
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refused(w, "not on behalf of another site")
	}))
	protected := origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			refused(w, "not on behalf of another site")
			return
		}
		if err := httpd.Foreign(r, hosts...); err != nil {
			refused(w, err.Error())
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// gameOf finds the request's game.
func (s *Site) gameOf(w http.ResponseWriter, r *http.Request) (Game, bool) {
	for _, g := range s.cfg.Games {
		if g.Name() == r.PathValue("game") {
			return g, true
		}
	}
	remote.WriteError(w, http.StatusNotFound, fmt.Errorf("unknown game %.40q", r.PathValue("game")))
	return Game{}, false
}

// refuse answers a request with what is wrong with its input.
func refuse(w http.ResponseWriter, err error) {
	remote.WriteError(w, http.StatusBadRequest, err)
}

// position reads the request's position, and answers where there is none.
func position(w http.ResponseWriter, r *http.Request, g Game) (engine.Position, bool) {
	text, status, err := remote.PositionText(w, r)
	if err != nil {
		remote.WriteError(w, status, err)
		return nil, false
	}
	p, err := g.Parse(text)
	if err != nil {
		refuse(w, err)
		return nil, false
	}
	return p, true
}

func (s *Site) serveGames(w http.ResponseWriter, _ *http.Request) {
	type entry struct {
		Name      string   `json:"name"`
		Title     string   `json:"title"`
		Unit      string   `json:"unit"`
		Units     string   `json:"units"`
		Points    string   `json:"points"`
		Positions string   `json:"positions"`
		Sides     []string `json:"sides"` // of nobody, the first and the second player
		Boards    []string `json:"boards"`
		Levels    int      `json:"levels"`
	}
	out := []entry{}
	for _, g := range s.cfg.Games {
		out = append(out, entry{g.Name(), g.Title(), g.Unit, g.Units, g.Points, g.Positions, []string{"nobody", g.Sides[0], g.Sides[1]}, g.Boards, levels.Count})
	}
	remote.WriteJSON(w, http.StatusOK, out)
}

// serveView answers with the position, or with a board's first position, and
// plays moves on it where the request has some, separated by semicolons.
func (s *Site) serveView(w http.ResponseWriter, r *http.Request) {
	g, ok := s.gameOf(w, r)
	if !ok {
		return
	}
	var p engine.Position
	var err error
	if q := r.URL.Query(); q.Has("board") && r.Method == http.MethodGet {
		if p, err = g.Start(q.Get("board")); err != nil {
			refuse(w, err)
			return
		}
	} else if p, ok = position(w, r, g); !ok {
		return
	}
	var before engine.Position
	var last engine.Move
	for _, text := range strings.Split(r.URL.Query().Get("moves"), ";") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		before = p
		if last, err = p.ParseMove(text); err == nil {
			p, err = p.Play(last)
		}
		if err != nil {
			refuse(w, err)
			return
		}
	}
	v, err := g.view(p, before, last)
	if err != nil {
		remote.WriteError(w, http.StatusInternalServerError, err)
		return
	}
	remote.WriteJSON(w, http.StatusOK, v)
}

// serveChoose answers with the move of a level (player=level1 and so on) or of
// the engine (player=engine).
func (s *Site) serveChoose(w http.ResponseWriter, r *http.Request) {
	g, ok := s.gameOf(w, r)
	if !ok {
		return
	}
	p, ok := position(w, r, g)
	if !ok {
		return
	}
	limit, err := remote.RequestTime(r)
	if err != nil {
		refuse(w, err)
		return
	}
	if p.Over() {
		refuse(w, engine.ErrGameOver)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit+time.Second)
	defer cancel()
	player := r.URL.Query().Get("player")
	level := slices.IndexFunc(s.levels[:], func(l *levels.Level) bool { return l.Name() == player })
	var d engine.Decision
	switch {
	case player == "engine":
		d, err = s.lookup.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(limit), Play: true})
	case level >= 0:
		d, err = s.levels[level].Choose(ctx, p, engine.ClockFor(limit))
	default:
		refuse(w, fmt.Errorf("player=%.40s: want engine or level1 to level%d", player, levels.Count))
		return
	}
	if err != nil {
		s.fail(w, r, "choose", err)
		return
	}
	remote.WriteJSON(w, http.StatusOK, d)
}

// fail answers a request whose work could not be done.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, what string, err error) {
	switch {
	case r.Context().Err() != nil: // nobody listens any more
	case errors.Is(err, remote.ErrBusy) || errors.Is(err, context.DeadlineExceeded):
		w.Header().Set("Retry-After", "1")
		remote.WriteError(w, http.StatusServiceUnavailable, remote.ErrBusy)
	default:
		s.cfg.Log.Error(what+" failed", "cause", err)
		remote.WriteError(w, http.StatusInternalServerError, errors.New("the "+what+" failed; the server's log says why"))
	}
}

// serveExercise answers with one of the given exercises or a made one; the
// same seed gives the same given one.
func (s *Site) serveExercise(w http.ResponseWriter, r *http.Request) {
	g, ok := s.gameOf(w, r)
	if !ok {
		return
	}
	seed, err := strconv.ParseUint(r.URL.Query().Get("seed"), 10, 64)
	if err != nil {
		refuse(w, fmt.Errorf("seed=%.40s: want a number from 0", r.URL.Query().Get("seed")))
		return
	}
	var given []analysis.Exercise
	for _, e := range s.cfg.Exercises {
		if e.Game == g.Name() {
			given = append(given, e)
		}
	}
	if r.URL.Query().Get("from") == "games" {
		if len(given) == 0 {
			refuse(w, errors.New("no exercises from games: start the server with --exercises"))
			return
		}
		remote.WriteJSON(w, http.StatusOK, given[seed%uint64(len(given))])
		return
	}
	start, err := g.Start(r.URL.Query().Get("board"))
	if err != nil {
		refuse(w, err)
		return
	}
	from, low, high := func(*rand.Rand) engine.Position { return start }, 6, 14
	if g.NearEnd != nil {
		from, low, high = g.NearEnd, 2, 40
	}
	players := [2]engine.Player{}
	for i := range players {
		if players[i], err = levels.New(2, seed+uint64(i)); err != nil {
			s.fail(w, r, "exercise", err)
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), exerciseTotal)
	defer cancel()
	e, err := analysis.MakeExercise(ctx, from, players, s.lookup, seed, low, high, exerciseTime)
	if err != nil {
		s.fail(w, r, "exercise", err)
		return
	}
	remote.WriteJSON(w, http.StatusOK, e)
}

// analysisLine is a line of the answer to an analysis: how far it is, the
// result, or what is wrong.
type analysisLine struct {
	Done      int                 `json:"done,omitempty"`
	Total     int                 `json:"total,omitempty"`
	Error     string              `json:"error,omitempty"`
	Analysis  *analysis.Analysis  `json:"analysis,omitempty"`
	HTML      string              `json:"html,omitempty"`
	Exercises []analysis.Exercise `json:"exercises,omitempty"`
}

// serveAnalysis analyses the record in the body, and answers with a line for
// every position done and one with the result.
func (s *Site) serveAnalysis(w http.ResponseWriter, r *http.Request) {
	data, status, err := remote.ReadBody(w, r, "record", analysis.MaxRecordBytes)
	if err != nil {
		remote.WriteError(w, status, err)
		return
	}
	var readers []analysis.Reader
	for _, g := range s.cfg.Games {
		readers = append(readers, g.Readers...)
	}
	name := r.URL.Query().Get("name")
	if name == "" || len(name) > 100 {
		name = "this game"
	}
	record, err := analysis.Read(name, data, readers...)
	if err != nil {
		refuse(w, err)
		return
	}
	select {
	case s.analysing <- struct{}{}:
		defer func() { <-s.analysing }()
	default:
		w.Header().Set("Retry-After", "10")
		remote.WriteError(w, http.StatusServiceUnavailable, errors.New("other games are being analysed; try again in a moment"))
		return
	}
	rules := s.cfg.Games.Named(record.Final().Game()).Rules
	ctx, cancel := context.WithTimeout(r.Context(), analysisTotal)
	defer cancel()
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(analysisTotal + 10*time.Second))
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	lines := json.NewEncoder(w)
	say := func(l analysisLine) {
		lines.Encode(l) // the client may be gone; the context tells
		http.NewResponseController(w).Flush()
	}
	limits := analysis.DefaultLimits
	limits.Solve = analysisTime
	done, err := analysis.Analyze(ctx, rules, record, s.analyses, limits, func(st analysis.Step) {
		say(analysisLine{Done: st.Done, Total: st.Total})
	})
	if err != nil {
		if r.Context().Err() == nil {
			s.cfg.Log.Error("analysis failed", "cause", err)
			say(analysisLine{Error: "the analysis could not be finished in time"})
		}
		return
	}
	var html strings.Builder
	if err := WriteGame(&html, s.cfg.Games, done); err != nil {
		s.cfg.Log.Error("analysis failed", "cause", err)
		say(analysisLine{Error: "the analysis could not be shown; the server's log says why"})
		return
	}
	say(analysisLine{Analysis: &done, HTML: html.String(), Exercises: analysis.Exercises([]analysis.Analysis{done})})
}
