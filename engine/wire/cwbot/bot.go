// Package cwbot plays Circuit Wars on a game server, such as the one of package cwhttp.
// [Client] sends the requests of the protocol, [Bot] plays a game, [Replay] repeats a
// recorded one, and [Shim] generates the Python client game_ai.py.
//
// An answer of the server must have the following fields; package lenient defines their
// spellings. Without them the bot repeats the request. It logs other unusable fields.
//
//	/reg/TEAM    player; or error_code, for a refusal
//	/status      status_code, board
//	/move/…      none: if the answer is not a status, the bot requests a status
package cwbot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/engine/wire/cwhttp"
)

const (
	DefaultMoveTime      = 3 * time.Second // if the server runs no clock
	DefaultServerTimeout = time.Minute
)

// Errors of Bot.Play. It also returns [ErrNotFound], the error of ctx and, for a refused
// registration, a [cwhttp.RegisterCode].
var (
	// ErrRestarted means that the server shows another game before the bot's game ended.
	ErrRestarted = errors.New("the server was restarted: it shows another game than ours")
	// ErrNoAnswer means that the server gave no usable answer for longer than the ServerTimeout.
	ErrNoAnswer = errors.New("no usable answer from the server")
	// ErrNoGame means that Bot.As is set, but no game is in progress.
	ErrNoGame = errors.New("no game to resume")
)

type Bot struct {
	Client *Client
	Team   string
	Player engine.Player
	// As, if not engine.None, is the team's side in a game that the bot resumes without
	// registering. The bot cannot check As.
	As engine.Side
	// MoveTime is the maximum time for a move. 0 means the time on the server's clock, or
	// DefaultMoveTime if no clock is running.
	MoveTime time.Duration
	// Overhead or Client.RTT, whichever is longer, is subtracted from the time on the server's
	// clock, up to two thirds of this time.
	Overhead time.Duration
	// ServerTimeout is the maximum time without a usable answer of the server; 0 means DefaultServerTimeout.
	ServerTimeout time.Duration
	// Ponder lets a player that is an [engine.Ponderer] think in the opponent's time.
	Ponder bool
	// Registered, if not nil, is called with the bot's side once the side is known.
	Registered func(engine.Side)
	// Moved, if not nil, is called with each decision before its move is sent. took is the time
	// since the status with p was requested.
	Moved func(p circuitwars.Position, d engine.Decision, took time.Duration)
	// Log, if not nil, receives unusual events and the beginning of the wait for the opponent.
	Log *slog.Logger

	wakeDelay *engine.WakeDelay // nil means MachineWakeDelay
}

// Outcome is the result of a game for a bot.
type Outcome struct {
	Side      engine.Side
	Status    circuitwars.Status // the first status that showed the end
	Moves     int                // number of decisions
	Slowest   time.Duration
	Fallbacks int
}

func (o Outcome) Won() bool { return o.Winner() == o.Side }

// Winner returns the side that won, None for a tie or an unfinished game. If the code is that of a
// win, the score decides, because the server sends this code for a tie too.
func (o Outcome) Winner() engine.Side {
	if o.Status.Code.Kind() == circuitwars.KindWon && o.Status.Position.Over() {
		return engine.Winner(o.Status.Position)
	}
	return o.Status.Code.Winner()
}

func (o Outcome) String() string {
	score := o.Status.Score()
	verdict := "tied"
	switch w := o.Winner(); {
	case w == o.Side:
		verdict = "won"
	case w != engine.None:
		verdict = "lost"
	case !o.Status.Code.Over():
		verdict = "unfinished"
	}
	s := fmt.Sprintf("%s %d–%d as %s", verdict, score[o.Side-1], score[o.Side.Other()-1], o.Side)
	if k := o.Status.Code.Kind(); k == circuitwars.KindIllegal {
		s += fmt.Sprintf(", illegal move by %s", o.Status.Code.Side())
	} else if k == circuitwars.KindTimeout {
		s += fmt.Sprintf(", timeout by %s", o.Status.Code.Side())
	}
	return s
}

// Play registers, waits for an opponent, plays, and returns the outcome. The wait has no time
// limit. If Play returns an error, the outcome is that of an unfinished game.
func (b *Bot) Play(ctx context.Context) (Outcome, error) {
	returned := make(chan struct{})
	close(returned) // the player is idle
	log := cmp.Or(b.Log, slog.New(slog.DiscardHandler))
	g := &botGame{Bot: *b, log: log, answered: time.Now(), returned: returned}
	g.ServerTimeout = cmp.Or(b.ServerTimeout, DefaultServerTimeout)
	g.out.Side = b.As
	if g.out.Side == engine.None {
		if err := g.register(ctx); err != nil {
			return g.out, err
		}
	}
	if b.Registered != nil {
		b.Registered(g.out.Side)
	}
	err := g.run(ctx)
	g.stopPondering()
	g.waitIdle(context.Background(), time.Now().Add(time.Second))
	return g.out, err
}

// run requests statuses and acts on them until one shows the end of the game, which it stores in g.out.
// Its errors are those of Bot.Play except a refused registration.
func (g *botGame) run(ctx context.Context) error {
	for {
		st, at, err := g.Client.Status(ctx)
		if err == nil {
			err = g.accept(st, at)
		}
		if errors.Is(err, ErrRestarted) || errors.Is(err, ErrNoGame) {
			return err
		}
		if err != nil {
			if err := g.waitToRetry(ctx, err); err != nil {
				return err
			}
			continue
		}
		for next := (&timedStatus{st, at}); next != nil; {
			g.recordAnswer()
			if next.Code.Over() {
				g.out.Status = next.Status
				return nil
			}
			next = g.act(ctx, *next)
		}
	}
}

type timedStatus struct {
	circuitwars.Status
	at time.Time
}

type botGame struct {
	Bot // with defaults filled in
	log *slog.Logger

	out      Outcome
	answered time.Time // time of the last usable answer
	failing  bool      // a failure after the last usable answer has been logged
	odd      []string  // the unusable fields that have been logged
	waiting  bool      // the wait for the opponent has been logged
	sent     *sentMove
	soFar    engine.SoFar
	returned <-chan struct{} // closed when the player's last Choose or Ponder has returned

	board     *grid.Board // nil if there is no such status
	drawn     int
	requested time.Time

	pondered grid.Set           // segments drawn in the position pondered last
	stop     context.CancelFunc // stops the last pondering; nil before the first
}

type sentMove struct {
	segment   int
	text      string
	position  circuitwars.Position // the position in which the bot moved
	unchanged int                  // number of statuses that show position since the move was last sent
	repeats   int                  // number of times that the move was sent again
}

// waitToRetry waits until a request that failed with err may be repeated. It returns an error if
// ctx ends, if the ServerTimeout is exceeded, or if err wraps ErrNotFound before the game.
func (g *botGame) waitToRetry(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, ErrNotFound) && g.board == nil {
		return err
	}
	if time.Since(g.answered) > g.ServerTimeout {
		return fmt.Errorf("%w for %v: %w", ErrNoAnswer, g.ServerTimeout, err)
	}
	if !g.failing {
		text := "no usable answer from the server at %s (retrying for %g s)"
		if errors.Is(err, ErrNotSent) {
			text = "waiting for the server at %s (retrying for %g s)"
		}
		if dial := new(os.SyscallError); errors.As(err, &dial) {
			err = dial
		}
		g.log.Warn(fmt.Sprintf(text, g.Client.base, g.ServerTimeout.Seconds()), "cause", err)
		g.failing = true
	}
	return engine.Pause(ctx, max(g.Client.Interval, 20*time.Millisecond))
}

// recordAnswer records that the server has just given a usable answer, and logs it after a failure.
func (g *botGame) recordAnswer() {
	if g.failing {
		g.log.Info("the server answers again")
	}
	g.answered, g.failing = time.Now(), false
}

// register requests a place until the server assigns or refuses one.
//
// If an answer was lost, the server may have registered the team and refuse the repeated request.
// In two cases register then assumes a side, which may be wrong:
//
//   - The name is taken and the server waits for the second player: the first side.
//   - A game is in progress: the second side.
func (g *botGame) register(ctx context.Context) error {
	lost := false // a request may have reached the server without an answer
	for {
		side, err := g.Client.Register(ctx, g.Team)
		if err == nil {
			g.out.Side = side
			g.recordAnswer()
			return nil
		}
		var code cwhttp.RegisterCode
		if !errors.As(err, &code) {
			lost = lost || !errors.Is(err, ErrNotSent)
			if err := g.waitToRetry(ctx, err); err != nil {
				return err
			}
			continue
		}
		if !lost {
			return err
		}
		switch st, _, statusErr := g.Client.Status(ctx); {
		case statusErr != nil:
			return err
		case code == cwhttp.TeamTaken && st.Code == circuitwars.WaitingForSecond:
			g.out.Side = engine.First
		case code == cwhttp.GameStarted && st.Code.Kind() == circuitwars.KindTurn:
			g.log.Warn("the answer to the registration was lost and the game has begun: assuming the second player; "+
				"if that is wrong, start again with --as 1", "team", g.Team)
			g.out.Side = engine.Second
		default:
			return err
		}
		g.recordAnswer()
		return nil
	}
}

// accept records a status that was requested at the time at, and adapts the client's interval to it. An error
// means that the status does not fit; it wraps ErrRestarted or ErrNoGame if the game cannot continue.
func (g *botGame) accept(st circuitwars.Status, at time.Time) error {
	g.logOdd(st)
	err := g.check(st)
	resuming := g.As != engine.None && g.board == nil
	if resuming && (st.Code.Over() || errors.Is(err, ErrRestarted)) {
		return fmt.Errorf("%w: %s", ErrNoGame, st.Code.Text())
	}
	if err != nil || st.Code.Over() {
		return err
	}
	if st.Code == circuitwars.WaitingForSecond {
		if !g.waiting {
			g.log.Info("waiting for the opponent")
		}
		g.waiting = true
		return nil
	}
	n := st.Position.Drawn().Len()
	if st.TimeLeft > 0 && g.board != nil && n > g.drawn {
		// The server restarted its clock after the previous status was requested. So the time
		// limit per move is at most the time left plus the time since that request.
		g.Client.Hurry(millis(st.TimeLeft) + time.Since(g.requested))
	}
	g.board, g.drawn, g.requested = st.Position.Board(), n, at
	return nil
}

const maxOdd = 20

// logOdd logs the unusable fields of a status, each once per game and at most maxOdd in all.
func (g *botGame) logOdd(st circuitwars.Status) {
	for _, odd := range st.Odd {
		if len(g.odd) < maxOdd && !slices.Contains(g.odd, odd) {
			g.odd = append(g.odd, odd)
			g.log.Warn("the status has a field that cannot be used", "cause", odd)
		}
	}
}

// check returns an error if a status does not fit the game so far. The error wraps ErrRestarted if
// the status is of another game.
func (g *botGame) check(st circuitwars.Status) error {
	switch n := st.Position.Drawn().Len(); {
	case st.Code.Over():
		return nil
	case st.Code.Kind() == circuitwars.KindWaiting:
		// The registration of the second player begins the game, so only the first player waits.
		if g.board != nil || st.Code != circuitwars.WaitingForSecond || g.out.Side != engine.First {
			return ErrRestarted
		}
		return nil
	case g.board != nil && st.Position.Board() != g.board:
		return fmt.Errorf("the board was %s and is now %s", g.board, st.Position.Board())
	case n < g.drawn:
		return fmt.Errorf("%w: %d segments were drawn, now %d are", ErrRestarted, g.drawn, n)
	case st.Position.Over():
		return fmt.Errorf("status %d with no free segment", int(st.Code))
	}
	return nil
}

// act sends a move or ponders, depending on the turn. It returns the status in the answer, nil for none.
func (g *botGame) act(ctx context.Context, st timedStatus) *timedStatus {
	switch st.Code {
	case circuitwars.TurnOf1.For(g.out.Side.Other()):
		g.ponder(ctx, st.Position)
	case circuitwars.TurnOf1.For(g.out.Side):
		if lim := g.limits(st.Status, st.at); g.prepare(ctx, st, lim) {
			return g.send(ctx, lim)
		}
	}
	return nil
}

// prepare chooses and stores a new move in g.sent if the last one is answered or there is none. It reports
// whether g.sent must be sent. If ctx ends, prepare returns false.
func (g *botGame) prepare(ctx context.Context, st timedStatus, lim limits) bool {
	switch {
	case g.sent == nil || g.sent.answered(st.Position):
		g.stopPondering()
		d := g.choose(ctx, st.Position, lim)
		if ctx.Err() != nil {
			return false
		}
		g.record(st, d)
		return true
	case g.sent.lost(st.Position):
		g.log.Warn("the move did not arrive, sending it again", "move", g.sent.text)
		return true
	}
	return false
}

// record stores the decision d, whose move must be legal in st, in g.sent, counts it and calls Moved.
func (g *botGame) record(st timedStatus, d engine.Decision) {
	m, err := st.Position.ParseMove(d.Move)
	if err != nil {
		panic(err) // choose returns legal moves only
	}
	g.sent = &sentMove{segment: int(m), text: st.Position.MoveString(m), position: st.Position}
	g.out.Moves++
	if d.Source == engine.Fallback {
		g.out.Fallbacks++
	}
	spent := time.Since(st.at)
	g.out.Slowest = max(g.out.Slowest, spent)
	if g.Moved != nil {
		g.Moved(st.Position, d, spent)
	}
}

// send sends g.sent, and again while no connection can be made and time is left. It returns the status in
// the server's answer, nil if there is no usable one.
func (g *botGame) send(ctx context.Context, lim limits) *timedStatus {
	for {
		st, at, ok, err := g.Client.Move(ctx, g.Team, g.sent.text)
		if err == nil {
			if !ok || g.accept(st, at) != nil {
				return nil
			}
			return &timedStatus{st, at}
		}
		late := !lim.server.IsZero() && time.Now().After(lim.server)
		if late || !errors.Is(err, ErrNotSent) {
			if ctx.Err() == nil {
				g.log.Warn("no answer to the move", "cause", err)
			}
			return nil
		}
		if g.waitToRetry(ctx, err) != nil {
			return nil
		}
	}
}

// answered reports whether p contains a segment drawn after m.position, except the bot's own.
func (m *sentMove) answered(p circuitwars.Position) bool {
	now, before := p.Drawn(), m.position.Drawn()
	if now.Has(m.segment) {
		return now.Len() >= before.Len()+2
	}
	return now.Len() > before.Len()
}

// lost reports whether the move must be sent again: two statuses since the move was sent show
// m.position. It is called once with the position of each status that shows the bot's turn.
func (m *sentMove) lost(p circuitwars.Position) bool {
	const maxRepeats = 5
	if p.Drawn() != m.position.Drawn() {
		return false
	}
	m.unchanged++
	if m.unchanged < 2 || m.repeats == maxRepeats {
		return false
	}
	m.unchanged = 0
	m.repeats++
	return true
}

// millis converts a number of milliseconds to a duration of at most an hour, to prevent an overflow.
func millis(ms float64) time.Duration {
	return time.Duration(min(ms, 3.6e6) * float64(time.Millisecond))
}
