package cwbot

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/wire/cwhttp"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// wire is a transport that calls a handler directly, for tests on virtual time. It records
// the time of each request.
type wire struct {
	handler http.Handler
	delay   time.Duration // in each direction
	mu      sync.Mutex
	times   []time.Time
	paths   []string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.times = append(w.times, time.Now())
	w.paths = append(w.paths, r.URL.Path)
	w.mu.Unlock()
	time.Sleep(w.delay)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	time.Sleep(w.delay)
	return rec.Result(), nil
}

// gaps returns the times from one request to the next.
func (w *wire) gaps() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(w.times); i++ {
		out = append(out, w.times[i].Sub(w.times[i-1]))
	}
	return out
}

// wired returns a client of a handler, with the usual interval.
func wired(t *testing.T, h http.Handler) (*Client, *wire) {
	t.Helper()
	c, err := NewClient("http://game.test")
	testenv.OK(t, err)
	w := &wire{handler: h}
	c.HTTP.Transport = w
	return c, w
}

func level(t *testing.T, n int, seed uint64) engine.Player {
	t.Helper()
	l, err := levels.New(n, seed)
	testenv.OK(t, err)
	return l
}

func newServer(t *testing.T, cfg cwhttp.ServerConfig) *cwhttp.Server {
	t.Helper()
	s, err := cwhttp.NewServer(cfg)
	testenv.OK(t, err)
	t.Cleanup(s.Close)
	return s
}

// meet plays a game of two bots on a server; the first one registers a second earlier.
func meet(t *testing.T, s *cwhttp.Server, delay time.Duration, bots [2]Bot) (outs [2]Outcome, wires [2]*wire) {
	t.Helper()
	var wg sync.WaitGroup
	for i, b := range bots {
		b.Client, wires[i] = wired(t, s)
		b.wakeDelay = engine.NewWakeDelay(time.Sleep)
		b.Team, wires[i].delay = string(rune('a'+i)), delay
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Second)
			var err error
			if outs[i], err = b.Play(t.Context()); err != nil {
				t.Errorf("player %d: %v", i+1, err)
			}
		})
	}
	wg.Wait()
	return outs, wires
}

// get calls a handler without a socket.
func get(h http.Handler, path string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Body.String()
}

// Whole games with the championship's clock and pace, on virtual time: a player that uses
// all its time never loses on time, on fast and slow networks, and requests keep the
// interval.
func TestFullClock(t *testing.T) {
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			var game circuitwars.Log
			s := newServer(t, cwhttp.ServerConfig{Board: "3x3", Timeout: 3 * time.Second, Ended: func(g circuitwars.Log) { game = g }})
			var bots [2]Bot
			var spent [2][]time.Duration
			for i := range bots {
				bots[i].Player = enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
					d, ok := c.Remaining()
					if !ok {
						t.Error("no limit although a clock runs or a default holds")
					}
					spent[i] = append(spent[i], d)
					time.Sleep(d - engine.Reserve(d, 0))
					return enginetest.First(ctx, p, c)
				})
			}
			outs, wires := meet(t, s, delay, bots)
			if outs[0].Status.Code != outs[1].Status.Code || outs[0].Status.Code.Kind() != 300 {
				t.Fatalf("delay %v: the game ends with %d and %d", delay, outs[0].Status.Code, outs[1].Status.Code)
			}
			if outs[0].Moves+outs[1].Moves != outs[0].Status.Position.Drawn().Len() || outs[0].Fallbacks+outs[1].Fallbacks > 0 {
				t.Errorf("delay %v: %d and %d moves, %d and %d fallbacks", delay, outs[0].Moves, outs[1].Moves, outs[0].Fallbacks, outs[1].Fallbacks)
			}
			if v, err := circuitwars.Judge(game, 3, 3); err != nil || !v.Agrees(game) || outs[0].Status.Code != game.Code {
				t.Errorf("delay %v: the log has %d, the bots saw %d, the rules say %+v, %v", delay, game.Code, outs[0].Status.Code, v, err)
			}
			for i, o := range outs {
				if o.Side != engine.Side(i+1) || o.Status.Position.Score() != game.Score {
					t.Errorf("delay %v: player %d saw %v, the log has %v", delay, i+1, o, game.Score)
				}
			}
			for i, w := range wires {
				for _, gap := range w.gaps() {
					if gap -= 2 * delay; gap < DefaultInterval {
						t.Fatalf("delay %v: %v between two requests of player %d", delay, gap, i+1)
					}
				}
				for k, d := range spent[i] {
					// A poll may be 0.2 s late, plus one request.
					least := 3*time.Second - DefaultInterval - 6*delay
					if i+k > 0 && (d < least || d > 3*time.Second-2*delay) {
						t.Errorf("delay %v: player %d had %v for move %d", delay, i+1, d, k+1)
					}
				}
				if d := spent[i][0]; i == 0 && d != DefaultMoveTime-2*delay {
					t.Errorf("delay %v: %v for the untimed first move", delay, d)
				}
			}
		})
	}
}

// If ctx ends while the player thinks, Play returns its error.
func TestBotCancelled(t *testing.T) {
	s := &script{answers: []any{registeredFirst, statusOf(t, 201, "")}}
	client, _ := wired(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	player := enginetest.PlayerFunc(func(ctx context.Context, _ engine.Position, _ engine.Clock) (engine.Decision, error) {
		cancel()
		return engine.Decision{}, ctx.Err()
	})
	if _, err := (&Bot{Client: client, Team: "me", Player: player}).Play(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled bot: %v", err)
	}
}

// If ctx ends while a move is sent, Play logs nothing about the missing answer.
func TestBotCancelledInMove(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{answers: []any{registeredFirst, statusOf(t, 201, ""), func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		http.Error(w, "oops", http.StatusBadGateway)
	}}}
	client, _ := wired(t, s)
	var log strings.Builder
	bot := Bot{Client: client, Team: "me", Player: enginetest.First, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if _, err := bot.Play(ctx); !errors.Is(err, context.Canceled) || strings.Contains(log.String(), "no answer") {
		t.Errorf("a bot cancelled in a move: %v, log %s", err, log.String())
	}
}

// With a short limit of the server, waiting for the turn takes at most a tenth of it;
// before the limit is known, requests keep the interval.
func TestShortLimit(t *testing.T) {
	for limit, interval := range map[time.Duration]time.Duration{500 * time.Millisecond: 50 * time.Millisecond, 2 * time.Second: DefaultInterval} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, cwhttp.ServerConfig{Board: "3x3", Timeout: limit})
			var bots [2]Bot
			for i := range bots {
				moves := 0
				bots[i].Player = enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
					d, _ := c.Remaining()
					// The limit is known from the second status of a running clock.
					if least := limit - interval - 10*time.Millisecond; moves > 1 && d < least {
						t.Errorf("limit %v: %v to think, want %v", limit, d, least)
					}
					moves++
					time.Sleep(17 * time.Millisecond)
					return enginetest.First(ctx, p, c)
				})
			}
			outs, wires := meet(t, s, 0, bots)
			for i, w := range wires {
				if out := outs[i]; out.Status.Code.Kind() != circuitwars.KindWon || out.Fallbacks > 0 {
					t.Errorf("limit %v: %v, %d fallbacks", limit, out, out.Fallbacks)
				}
				gaps := w.gaps()
				for k, gap := range gaps[:2] {
					if gap < DefaultInterval {
						t.Errorf("limit %v: request %d of player %d comes %v after the last", limit, k+1, i+1, gap)
					}
				}
				shortest := slices.Min(gaps)
				if shortest < interval {
					t.Errorf("limit %v: %v between two requests of player %d, want %v", limit, shortest, i+1, interval)
				}
			}
		})
	}
}

// Without a server clock the time is MoveTime; with a clock MoveTime is an upper bound.
func TestMoveTime(t *testing.T) {
	for _, timeout := range []time.Duration{0, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, cwhttp.ServerConfig{Board: "1x1", Timeout: timeout})
			c, _ := wired(t, s)
			get(s, "/reg/first")
			bot := &Bot{Client: c, Team: "second", MoveTime: 700 * time.Millisecond, wakeDelay: engine.NewWakeDelay(time.Sleep),
				Player: enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
					if d, ok := c.Remaining(); !ok || d != 700*time.Millisecond {
						t.Errorf("timeout %v: %v for a move, want 700ms", timeout, d)
					}
					get(s, "/move/second/0,0,left") // sent before the bot's own move, which is then illegal
					return enginetest.First(ctx, p, c)
				})}
			time.AfterFunc(time.Second, func() { get(s, "/move/first/0,0,top") })
			if out, err := bot.Play(t.Context()); err != nil || out.Status.Code != circuitwars.IllegalBy1.For(engine.Second) {
				t.Errorf("timeout %v: %v, %v", timeout, out, err)
			}
		})
	}
}

// Games of failing players are played to the end with legal moves.
func TestFallbacks(t *testing.T) {
	never := make(chan struct{})
	for name, bad := range map[string]enginetest.PlayerFunc{
		"error": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			return engine.Decision{}, errors.New("no idea")
		},
		"panic": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) { panic("no idea") },
		"illegal": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			return engine.Decision{Move: "9,9,top"}, nil
		},
		"empty": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			return engine.Decision{}, nil
		},
		"taken": func(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
			cw := p.(circuitwars.Position)
			if d := cw.Drawn().Segments(); len(d) > 0 {
				return engine.Decision{Move: p.MoveString(engine.Move(d[0]))}, nil
			}
			return engine.Decision{Move: "nonsense"}, nil
		},
		"late": func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
			<-ctx.Done()
			return engine.Decision{}, ctx.Err()
		},
		"hangs": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			<-never
			return engine.Decision{}, nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			never = make(chan struct{})
			s := newServer(t, cwhttp.ServerConfig{Board: "2x2", Timeout: 3 * time.Second})
			outs, _ := meet(t, s, 0, [2]Bot{{Player: bad, Log: slog.New(slog.DiscardHandler)}, {Player: enginetest.First}})
			for _, out := range outs {
				if out.Status.Code.Kind() != 300 {
					t.Errorf("%s: the game ends with %d", name, out.Status.Code)
				}
			}
			if out := outs[0]; out.Fallbacks != out.Moves {
				t.Errorf("%s: %d fallbacks in %d moves", name, out.Fallbacks, out.Moves)
			}
			close(never) // releases the hanging players
		})
	}
}

// If a player fails after it has proved a line, the bot follows the line.
func TestBotFollowsALine(t *testing.T) {
	line := []string{"0,0,top", "1,1,left", "1,0,right"}
	start, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	returned := make(chan struct{})
	close(returned)
	g := &botGame{log: slog.New(slog.DiscardHandler), returned: returned}
	for n := 0; n < len(line); n += 2 {
		g.Player = enginetest.PlayerFunc(func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			if n > 0 {
				return engine.Decision{}, errors.New("no idea")
			}
			return engine.Decision{Move: line[0], Proof: engine.Exact, Line: line}, nil
		})
		p := enginetest.PlayMoves(t, start, line[:n]...)
		deadline := time.Now().Add(time.Minute)
		if d := g.choose(t.Context(), p, limits{player: deadline}); d.Move != line[n] || (d.Source == engine.Fallback) != (n > 0) {
			t.Errorf("move %d is %s from %q, want %s", n, d.Move, d.Source, line[n])
		}
	}
}

// A player that was late twice is called again, and its moves are played.
func TestLatePlayerIsCalledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, cwhttp.ServerConfig{Board: "3x3", Timeout: 3 * time.Second})
		asked := 0
		player := enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
			if asked++; asked <= 2 {
				time.Sleep(7 * time.Second) // ignores the end of the context
			}
			return enginetest.First(ctx, p, c)
		})
		outs, _ := meet(t, s, 0, [2]Bot{{Player: player}, {Player: level(t, 2, 1)}})
		if out := outs[0]; out.Fallbacks < 2 || out.Moves-out.Fallbacks < 4 || out.Status.Code.Kind() != circuitwars.KindWon {
			t.Errorf("%d of %d moves without the player: %v", out.Fallbacks, out.Moves, out)
		}
	})
}

// script is a server that gives its answers in order, repeats the last one, and records the
// requests.
type script struct {
	mu      sync.Mutex
	answers []any // a string, or a func(w, r)
	paths   []string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	s.paths = append(s.paths, r.URL.EscapedPath())
	s.mu.Unlock()
	switch a := a.(type) {
	case string:
		io.WriteString(w, a)
	case func(http.ResponseWriter, *http.Request):
		a(w, r)
	}
}

// statusOf returns the status of a 1x2 game after the given moves with any code.
func statusOf(t *testing.T, code circuitwars.Code, moves string) string {
	t.Helper()
	p, err := circuitwars.Parse("1x2 " + moves)
	testenv.OK(t, err)
	last := ""
	if f := strings.Fields(moves); len(f) > 0 {
		last = f[len(f)-1]
	}
	score := p.Score()
	data, err := json.Marshal(map[string]any{
		"status_code": code, "score_1": score[0], "score_2": score[1], "board_size": p.Board().Rows,
		"board": p.Cells(), "time_left": 2500, "last_move": last,
	})
	testenv.OK(t, err)
	return string(data)
}

// play runs a bot as player 1 named "me" against the script.
func (s *script) play(t *testing.T, b Bot) (out Outcome, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b.Client, _ = wired(t, s)
		b.wakeDelay = engine.NewWakeDelay(time.Sleep)
		b.Team = "me"
		if b.Player == nil {
			b.Player = enginetest.First
		}
		out, err = b.Play(t.Context())
	})
	return out, err
}

// tied is a complete game on 1x2.
const tied = "0,0,top 1,0,top 0,0,left 1,0,right 0,0,bottom 0,0,right 1,0,bottom"

const registeredFirst = `{"response": "OK", "player": 1}`

// After a move, the bot sends the next one only after a status with the opponent's answer,
// even if statuses show its turn before.
func TestNoSecondMove(t *testing.T) {
	turn := statusOf(t, 201, "")
	mine := statusOf(t, 201, "0,0,top") // the bot's move is drawn, the turn has not passed
	s := &script{answers: []any{
		registeredFirst, turn, "<html>moved", mine, mine, mine, mine,
		statusOf(t, 202, "0,0,top"), mine, mine,
		statusOf(t, 201, "0,0,top 1,0,top"), // the opponent has answered
		statusOf(t, 202, "0,0,top 1,0,top 0,0,bottom"),
		statusOf(t, 501, "0,0,top 1,0,top 0,0,bottom"), "unreached",
	}}
	out, err := s.play(t, Bot{})
	if err != nil || out.Moves != 2 || out.Status.Code != circuitwars.TimeoutBy1 {
		t.Fatalf("%v, %v", out, err)
	}
	var moves []int
	for i, p := range s.paths {
		if strings.HasPrefix(p, "/move/me/") {
			moves = append(moves, i)
		}
	}
	if fmt.Sprint(moves) != "[2 11]" {
		t.Errorf("moves sent as requests %v, want 2 and 11: %v", moves, s.paths)
	}
}

// A server that answers 404 before the game is another server, and the bot stops. Other errors are
// retried, and 404 during the game.
func TestNoGameServer(t *testing.T) {
	failing := func(status int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", status) }
	}
	for _, c := range []struct {
		answers []any
		found   bool
	}{
		{[]any{failing(404)}, false},
		{[]any{failing(503), failing(404)}, false},
		{[]any{registeredFirst, failing(404)}, false},
		{[]any{failing(502), registeredFirst, statusOf(t, 202, ""), failing(404), statusOf(t, 302, tied)}, true},
	} {
		s := &script{answers: c.answers}
		if _, err := s.play(t, Bot{}); c.found != (err == nil) || !c.found && (!errors.Is(err, ErrNotFound) || len(s.paths) != len(c.answers)) {
			t.Errorf("%d answers: %v after %v", len(c.answers), err, s.paths)
		}
	}
}

// The first status that shows an end is the result, even if later ones differ.
func TestFirstEndIsTheResult(t *testing.T) {
	over := tied
	p, err := circuitwars.Parse("1x2 " + over)
	if err != nil || !p.Over() {
		t.Fatal("the moves do not end the game", err)
	}
	s := &script{answers: []any{registeredFirst, statusOf(t, 302, over), statusOf(t, 501, over)}}
	out, err := s.play(t, Bot{})
	if err != nil || out.Status.Code != circuitwars.WonBy1.For(engine.Second) {
		t.Errorf("%v, %v", out, err)
	}
	if got := out.String(); got != "tied 1–1 as player 1" {
		t.Errorf("a tie reads %q", got)
	}
	out.Status.Code = 201 // an interrupted game
	if got := out.String(); got != "unfinished 1–1 as player 1" {
		t.Errorf("an unfinished game reads %q", got)
	}
	// After a forfeit the server shows the score of the board.
	for code, want := range map[circuitwars.Code]string{
		402: "won 2–0 as player 1, illegal move by player 2",
		501: "lost 0–2 as player 1, timeout by player 1",
	} {
		out.Status.Code = code
		if got := out.String(); got != want {
			t.Errorf("status %d reads %q, want %q", code, got, want)
		}
	}
}

// The wait for the opponent is logged once, and each move is reported.
func TestWaitAndMovesAreReported(t *testing.T) {
	var log strings.Builder
	var moved []string
	waiting := statusOf(t, 101, "")
	s := &script{answers: []any{registeredFirst, waiting, waiting, statusOf(t, 201, ""), statusOf(t, 302, tied)}}
	_, err := s.play(t, Bot{
		Log:   slog.New(slog.NewTextHandler(&log, nil)),
		Moved: func(_ circuitwars.Position, d engine.Decision, _ time.Duration) { moved = append(moved, d.Move) },
	})
	if n := strings.Count(log.String(), "waiting for the opponent"); err != nil || n != 1 || len(moved) != 1 {
		t.Errorf("the wait is logged %d times, moves %q, %v", n, moved, err)
	}
}

// A lost move is sent again after two statuses without it, and not before.
func TestLostMove(t *testing.T) {
	turn := statusOf(t, 201, "")
	broken := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", http.StatusBadGateway) }
	s := &script{answers: []any{registeredFirst, turn, broken, turn, "busy", turn, statusOf(t, 202, "0,0,top"), statusOf(t, 402, "0,0,top")}}
	out, err := s.play(t, Bot{})
	if err != nil || out.Moves != 1 || !out.Won() {
		t.Fatalf("%v, %v", out, err)
	}
	want := "/reg/me /status /move/me/0,0,top /status /status /status /move/me/0,0,top /status"
	if got := strings.Join(s.paths, " "); got != want {
		t.Errorf("requests %s,\nwant %s", got, want)
	}
}

// Some servers answer a move with the status itself.
func TestDirectStatus(t *testing.T) {
	s := &script{answers: []any{registeredFirst, statusOf(t, 201, ""), statusOf(t, 202, "0,0,top"),
		statusOf(t, 201, "0,0,top 1,0,top"), statusOf(t, 302, tied)}}
	out, err := s.play(t, Bot{})
	if err != nil || out.Moves != 2 || len(s.paths) != 5 {
		t.Errorf("%v, %v, requests %v", out, err, s.paths)
	}
}

// If the answer to a registration was lost, "taken" means that the bot is the first player
// and "started" that it is the second. Otherwise, and if the game is over, it means that
// the bot is not in the game.
func TestLostRegistration(t *testing.T) {
	refused := func(code int) string { return fmt.Sprintf(`{"response": "ERROR", "error_code": %d}`, code) }
	for _, c := range []struct {
		answers []any
		side    engine.Side // None: refused
	}{
		{[]any{"garbage", refused(2), statusOf(t, 101, ""), statusOf(t, 402, "0,0,top")}, engine.First},
		{[]any{"garbage", refused(3), statusOf(t, 201, ""), statusOf(t, 201, ""), statusOf(t, 401, "0,0,top")}, engine.Second},
		{[]any{"garbage", refused(3), statusOf(t, 202, "0,0,top"), statusOf(t, 501, "0,0,top")}, engine.Second},
		{[]any{"garbage", refused(2), statusOf(t, 201, "")}, engine.None},
		{[]any{"garbage", refused(3), statusOf(t, 301, "0,0,top")}, engine.None},
		{[]any{"garbage", refused(3), "garbage"}, engine.None},
		{[]any{refused(3), statusOf(t, 201, "")}, engine.None},
	} {
		s := &script{answers: c.answers}
		out, err := s.play(t, Bot{})
		if out.Side != c.side || (err == nil) != (c.side != engine.None) {
			t.Errorf("%.200v: %v, %v", c.answers, out, err)
		}
	}
	for _, code := range []cwhttp.RegisterCode{cwhttp.InvalidTeam, cwhttp.TeamTaken, cwhttp.GameStarted, 77} {
		s := &script{answers: []any{fmt.Sprintf(`{"response": "ERROR", "error_code": %d}`, code)}}
		_, err := s.play(t, Bot{})
		var got cwhttp.RegisterCode
		if !errors.As(err, &got) || got != code {
			t.Errorf("refused with %d: %v", code, err)
		}
	}
}

// With a server that sends nonsense, the bot ends after the ServerTimeout.
func TestHostileServers(t *testing.T) {
	redirect := func(to string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}
	good := statusOf(t, 201, "")
	for name, answer := range map[string]any{
		"nothing":         "",
		"text":            "hello",
		"array":           "[]",
		"number":          "7",
		"wrong types":     `{"status_code": "201", "board": 3}`,
		"half":            good[:len(good)/2],
		"code":            strings.Replace(good, "201", "999", 1),
		"cell":            strings.Replace(good, "[[0", "[[64", 1),
		"float":           strings.Replace(good, "201", "201.5", 1),
		"huge number":     strings.Replace(good, "201", "1e400", 1),
		"huge board":      `{"status_code": 201, "score_1": 0, "score_2": 0, "board": [` + strings.Repeat("[0],", 20000) + `[0]]}`,
		"deep":            strings.Repeat("[", 50000),
		"ring":            redirect("/status"),
		"away":            redirect("http://other.test/status"),
		"bad location":    redirect("http://%zz"),
		"server error":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, good, http.StatusInternalServerError) },
		"nobody to move":  statusOf(t, 201, tied),
		"gzip bomb":       func(w http.ResponseWriter, _ *http.Request) { writeGzip(w) },
		"control letters": "\x00\x01\xff\xfe",
	} {
		s := &script{answers: []any{registeredFirst, answer}}
		out, err := s.play(t, Bot{ServerTimeout: 3 * time.Second})
		if !errors.Is(err, ErrNoAnswer) || out.Moves != 0 {
			t.Errorf("%s: %v, %v", name, out, err)
		}
		if err != nil && (len(err.Error()) > 300 || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: the error is no short line: %v", name, err)
		}
	}
	for name, answers := range map[string][]any{
		"restarted":       {registeredFirst, good, statusOf(t, 202, "0,0,top"), statusOf(t, 100, "")},
		"another game":    {registeredFirst, good, statusOf(t, 202, "0,0,top"), good},
		"other's restart": {registeredFirst, good, statusOf(t, 101, "")},
		"while waiting":   {registeredFirst, statusOf(t, 101, ""), statusOf(t, 100, ""), good},
		"as the second":   {`{"response": "OK", "player": 2}`, statusOf(t, 101, ""), good},
	} {
		s := &script{answers: answers}
		if _, err := s.play(t, Bot{}); !errors.Is(err, ErrRestarted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func writeGzip(w http.ResponseWriter) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	io.CopyN(z, zeros{}, 1<<20)
	z.Close()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A player that has returned is called again even if no time is left.
func TestIdlePlayer(t *testing.T) {
	returned := make(chan struct{})
	g := &botGame{returned: returned}
	past := time.Now().Add(-time.Second)
	if g.waitIdle(t.Context(), past) {
		t.Error("a player that still thinks is taken for idle")
	}
	close(returned)
	for range 100 {
		if !g.waitIdle(t.Context(), past) {
			t.Fatal("an idle player is taken for busy")
		}
	}
}

// A bot that starts before the server waits for it.
func TestServerComesLater(t *testing.T) {
	addr, err := testenv.FreeAddress()
	testenv.OK(t, err)
	c, err := NewClient(addr)
	testenv.OK(t, err)
	c.Interval = time.Millisecond
	if _, _, err := c.Status(t.Context()); !errors.Is(err, ErrNotSent) {
		t.Fatalf("a refused connection: %v", err)
	}
	refused := make(chan struct{})
	log := slog.New(slog.NewTextHandler(signal(refused), nil))
	done := make(chan error, 1)
	go func() {
		_, err := (&Bot{Client: c, Team: "a", Player: enginetest.First, Log: log}).Play(t.Context())
		done <- err
	}()
	<-refused
	s := newServer(t, cwhttp.ServerConfig{Board: "1x1"})
	ln, err := net.Listen("tcp", addr)
	testenv.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.Serve(ctx, ln)
	second, err := NewClient(addr)
	testenv.OK(t, err)
	second.Interval = time.Millisecond
	for !strings.Contains(get(s, "/status"), `"status_code": 101`) {
		time.Sleep(time.Millisecond)
	}
	if out, err := (&Bot{Client: second, Team: "b", Player: enginetest.First}).Play(t.Context()); err != nil || !out.Won() {
		t.Errorf("%v, %v", out, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// signal is a writer that closes itself at the first line.
type signal chan struct{}

func (s signal) Write(p []byte) (int, error) {
	select {
	case <-s:
	default:
		close(s)
	}
	return len(p), nil
}

func TestQuickMove(t *testing.T) {
	for _, c := range []struct{ moves, want string }{
		{"1x1 0,0,top 0,0,left 0,0,right", "0,0,bottom"},
		// Capturing two squares is better than one.
		{"1x3 0,0,top 0,0,left 0,0,bottom 1,0,top 1,0,bottom", "1,0,right"},
	} {
		p, err := circuitwars.Parse(c.moves)
		testenv.OK(t, err)
		if got := p.MoveString(quickMove(p)); got != c.want {
			t.Errorf("%s: %s, want %s", c.moves, got, c.want)
		}
	}
	start, err := circuitwars.New(7, 7)
	testenv.OK(t, err)
	drawn := map[engine.Move]bool{}
	for range 50 {
		drawn[quickMove(start)] = true
	}
	if len(drawn) < 5 {
		t.Errorf("%d different moves at the start", len(drawn))
	}
}

func BenchmarkQuickMove(b *testing.B) {
	p, err := circuitwars.New(7, 7)
	testenv.OK(b, err)
	for b.Loop() {
		quickMove(p)
	}
}

// A bot that should resume a game reads one status and stops if no game is in progress.
func TestNoGameToResume(t *testing.T) {
	for name, test := range map[string]struct {
		as   engine.Side
		code circuitwars.Code
		over string
	}{
		"over":                   {engine.First, 302, tied},
		"nobody is registered":   {engine.First, 100, ""},
		"one team is registered": {engine.Second, 101, ""},
	} {
		s := &script{answers: []any{statusOf(t, test.code, test.over)}}
		if _, err := s.play(t, Bot{As: test.as}); !errors.Is(err, ErrNoGame) || !strings.Contains(err.Error(), test.code.Text()) || len(s.paths) != 1 {
			t.Errorf("%s: %v, requests %v", name, err, s.paths)
		}
	}
}

// A bot that resumes its game plays it to the end.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, cwhttp.ServerConfig{Board: "2x2", Timeout: 3 * time.Second})
		defer s.Close()
		other, _ := wired(t, s)
		again, w := wired(t, s)
		if _, err := again.Register(t.Context(), "me"); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := (&Bot{Client: other, Team: "other", Player: level(t, 2, 1), wakeDelay: engine.NewWakeDelay(time.Sleep)}).Play(t.Context())
			done <- err
		}()
		synctest.Wait()
		out, err := (&Bot{Client: again, Team: "me", As: engine.First, Player: level(t, 2, 2), wakeDelay: engine.NewWakeDelay(time.Sleep)}).Play(t.Context())
		if err != nil || out.Moves == 0 || out.Status.Code.Kind() != circuitwars.KindWon {
			t.Errorf("%v, %v, requests %v", out, err, w.paths)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
