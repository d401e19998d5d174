package cwhttp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

type ServerConfig struct {
	// Board is the size, like "7x7"; "" means the championship's board.
	Board string
	// Timeout is the time per move; 0 means no limit. Player 1's first move is not timed.
	Timeout time.Duration
	// Page answers / and all paths below /web/ except /web/game, which returns the moves of the
	// game; nil for no page.
	Page http.Handler
	// Ended, if not nil, is called with every finished game, in order, before a client can
	// see the end. It must not call the server.
	Ended func(circuitwars.Log)
	Hosts []string // names of this machine in addition to those of httpd.Foreign
	// Log receives a line for each registration, start, end and restart; nil discards them.
	// Moves are logged at debug level.
	Log *slog.Logger
}

// Server is a Circuit Wars game server: an http.Handler with one game at a time, to be mounted at the
// root of a host. It replaces the championship's server: routes, keys, texts and redirects are the same,
// and time_left continues to decrease after the end of a game. The differences:
//
//   - The result of a finished game stays. The championship's server changes it to a
//     timeout when the clock runs out.
//   - A tie, possible on boards with an even number of squares, has a text of its own.
//   - A late move is not drawn, and a timeout needs no request.
//   - Before both players have registered, a move has no effect. The championship's server
//     lets the first player's move begin the game early.
//   - x and y must be plain decimal numbers on the board.
//   - Team ids consist of A-Z, a-z, 0-9, _ and -.
//   - The answers to a move of a team that does not take part (HTTP status 200) and to an unknown
//     path such as /reg/ (404) have other texts.
//   - A HEAD request never plays. A request that a browser sends on behalf of another site
//     cannot register, move or restart. Serve refuses requests for unknown host names.
type Server struct {
	cfg      ServerConfig
	start    circuitwars.Position
	log      *slog.Logger
	external *externalHooks // nil without an [ExternalPlayer]

	mu   sync.Mutex
	game *serverGame
}

type serverGame struct {
	teams    []string
	code     circuitwars.Code
	position circuitwars.Position
	lastMove string
	moves    []circuitwars.LogMove
	// deadline is the end of the running clock, zero if none runs. After the end of the game
	// the clock of the side that would be to move continues.
	deadline  time.Time
	timer     *time.Timer
	abandoned bool // the game has no result and does not change any more
}

// NewServer returns a server that waits for both players.
func NewServer(cfg ServerConfig) (*Server, error) {
	p, err := circuitwars.Game{}.Start(cfg.Board)
	if err != nil {
		return nil, err
	}
	if cfg.Timeout < 0 {
		return nil, fmt.Errorf("timeout %v: want a positive duration, or 0 for no limit", cfg.Timeout)
	}
	s := &Server{cfg: cfg, start: p.(circuitwars.Position), log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))}
	s.game = s.newGame()
	return s, nil
}

func (s *Server) newGame() *serverGame {
	return &serverGame{code: circuitwars.WaitingForBoth, position: s.start}
}

// Restart abandons a game in progress and waits for two new players. An abandoned game has no result.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandon()
	s.game = s.newGame()
	s.log.Info("restart")
}

// Close stops the clock and abandons the game. The handler continues to show this game.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandon()
}

// abandon stops the clock and ends the game without a result, unless it is over. The lock must be held.
func (s *Server) abandon() {
	g := s.game
	if g.timer != nil {
		g.timer.Stop()
	}
	g.deadline = time.Time{}
	if g.code.Over() || g.abandoned {
		return
	}
	g.abandoned = true
	if n := len(g.moves); n > 0 {
		s.log.Warn("game abandoned", "moves", n)
	}
}

// register adds a team and returns its side and code 0, or None and the code of the refusal.
func (s *Server) register(now time.Time, team string) (engine.Side, RegisterCode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.game
	s.expire(g, now)
	switch {
	case len(g.teams) == 2 || g.abandoned:
		return engine.None, GameStarted
	case !validTeam.MatchString(team) && (s.external == nil || team == ""):
		return engine.None, InvalidTeam
	case len(g.teams) == 1 && g.teams[0] == team:
		return engine.None, TeamTaken
	}
	side := s.addTeam(g, team)
	if s.external != nil {
		s.external.registered(s, g)
	}
	return side, 0
}

// addTeam assigns the next side to the team and returns it. With the second team the game
// begins. The lock must be held.
func (s *Server) addTeam(g *serverGame, team string) engine.Side {
	g.teams = append(g.teams, team)
	side := engine.Side(len(g.teams))
	s.log.Info("registered", "team", team, "player", int(side))
	if side == engine.First {
		g.code = circuitwars.WaitingForSecond
	} else {
		g.code = circuitwars.TurnOf1.For(g.position.Turn())
		board := g.position.Board().String()
		s.log.Info("the game begins", "board", board, "player_1", g.teams[0], "player_2", g.teams[1])
	}
	return side
}

// move plays a team's move, which arrived at the time now. An illegal move ends the game. Unless a game
// is in progress, the move has no effect. known is false if the team does not take part.
func (s *Server) move(now time.Time, team, text string) (known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.game
	s.expire(g, now)
	side := engine.Side(slices.Index(g.teams, team) + 1)
	if side == engine.None {
		return false
	}
	if g.code.Kind() != circuitwars.KindTurn || g.abandoned {
		return true
	}
	g.moves = append(g.moves, circuitwars.LogMove{Team: team, Text: loggedMove(text), Line: len(g.moves) + 1})
	next := g.position
	seg, err := circuitwars.ParseSegment(next.Board(), text)
	switch {
	case err != nil:
	case side != next.Turn():
		err = fmt.Errorf("it is %s's turn", next.Turn())
	default:
		next, err = next.Occupy(seg)
	}
	if err != nil {
		s.end(g, circuitwars.IllegalBy1.For(side), err.Error())
		return true
	}
	g.position, g.lastMove = next, text
	if s.external != nil {
		s.external.moved(side, seg)
	}
	s.log.Debug("move", "n", len(g.moves), "team", team, "move", text)
	s.runClock(g, now)
	if next.Over() {
		s.end(g, next.EndCode(), "")
	} else {
		g.code = circuitwars.TurnOf1.For(next.Turn())
	}
	return true
}

// end ends the game with the result code and passes the result to the log, external players and Ended.
// cause is the reason why a move was illegal, or "". The lock must be held.
func (s *Server) end(g *serverGame, code circuitwars.Code, cause string) {
	if g.timer != nil {
		g.timer.Stop()
	}
	score := g.position.Score()
	if code.Kind() != circuitwars.KindWon {
		score = circuitwars.ForfeitScore(g.position.Board(), code.Winner())
	}
	g.code = code
	attrs := []any{"status", int(code), "score_1", score[0], "score_2", score[1], "moves", len(g.moves)}
	if cause != "" {
		attrs = append(attrs, "cause", cause)
	}
	s.log.Info("the game is over", attrs...)
	if s.external != nil {
		s.external.ended(g, cause)
	}
	if s.cfg.Ended != nil {
		s.cfg.Ended(circuitwars.Log{Teams: [2]string(g.teams), Moves: g.moves, Code: code, Score: score})
	}
}

// status returns the state of the game at the time now. If the clock has run out, it ends the game before.
func (s *Server) status(now time.Time) snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.game
	s.expire(g, now)
	st := snapshot{code: g.code, position: g.position, lastMove: g.lastMove}
	if !g.deadline.IsZero() {
		left := min(max(g.deadline.Sub(now), 0), s.cfg.Timeout) // deadline may include a grace
		// Rounded up, because clients read 0 as no limit.
		st.timeLeft = int64((left + time.Millisecond - 1) / time.Millisecond)
	}
	return st
}

// record returns the teams and the legal moves of the game, with the score after each move.
func (s *Server) record() (r gameRecord) {
	s.mu.Lock()
	g := s.game
	r.Teams, r.Moves = slices.Clone(g.teams), []recordMove{}
	p, moves := engine.Position(s.start), slices.Clone(g.moves)
	s.mu.Unlock()
	for _, m := range moves {
		move, err := p.ParseMove(m.Text)
		if err != nil { // an illegal move ends the game
			break
		}
		side := p.Turn()
		if p, err = p.Play(move); err != nil {
			break
		}
		r.Moves = append(r.Moves, recordMove{side, m.Text, p.Score()})
	}
	return r
}

type gameRecord struct {
	Teams []string     `json:"teams"`
	Moves []recordMove `json:"moves"`
}

type recordMove struct {
	Player engine.Side `json:"player"`
	Move   string      `json:"move"`
	Score  [2]int      `json:"score"`
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	for i, p := range parts {
		text, err := url.PathUnescape(p)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		parts[i] = text
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	switch {
	case len(parts) == 1 && parts[0] == "status":
		if allowRead(w, r) {
			h.Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, s.status(now).json())
		}
	case len(parts) == 2 && parts[0] == "reg" && parts[1] != "":
		if allowChange(w, r) {
			s.serveRegister(w, now, parts[1])
		}
	case len(parts) == 3 && parts[0] == "move":
		if allowChange(w, r) {
			s.serveMove(w, now, parts[1], parts[2])
		}
	case len(parts) == 1 && parts[0] == "restart":
		if allowChange(w, r) {
			if s.external == nil {
				s.Restart()
			}
			redirectToStatus(w)
		}
	case s.cfg.Page != nil && len(parts) == 2 && parts[0] == "web" && parts[1] == "game":
		if allowRead(w, r) {
			h.Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(s.record())
		}
	case s.cfg.Page != nil && (len(parts) == 1 && parts[0] == "" || len(parts) > 1 && parts[0] == "web"):
		if allowRead(w, r) {
			s.cfg.Page.ServeHTTP(w, r)
		}
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) serveRegister(w http.ResponseWriter, now time.Time, team string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if side, code := s.register(now, team); code == 0 {
		fmt.Fprintf(w, `{"response": "OK", "player": %d}`, side)
	} else {
		fmt.Fprintf(w, `{"response": "ERROR", "error_code": %d}`, int(code))
	}
}

func (s *Server) serveMove(w http.ResponseWriter, now time.Time, team, move string) {
	if !s.move(now, team, move) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "Unknown team id")
		return
	}
	redirectToStatus(w)
}

func allowRead(w http.ResponseWriter, r *http.Request) bool {
	return allow(w, r, http.MethodGet, http.MethodHead)
}

// allowChange allows GET requests, except those that a browser sends on behalf of another site.
func allowChange(w http.ResponseWriter, r *http.Request) bool {
	if !allow(w, r, http.MethodGet) {
		return false
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		http.Error(w, "requests from another site are refused", http.StatusForbidden)
		return false
	}
	return true
}

// allow reports whether a request has one of the methods. Otherwise it answers with an error.
func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	return false
}

const redirectBody = `<!doctype html>
<html lang=en>
<title>Redirecting...</title>
<h1>Redirecting...</h1>
<p>You should be redirected automatically to the target URL: <a href="/status">/status</a>. If not, click the link.
`

func redirectToStatus(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Location", "/status")
	w.WriteHeader(http.StatusFound)
	io.WriteString(w, redirectBody)
}
