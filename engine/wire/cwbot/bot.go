// Package cwbot plays Circuit Wars on a game server, package cwhttp or any other. [Client]
// sends the requests of the protocol, [Bot] plays a game, [Replay] repeats a recorded one.
// clock.go decides how long a move may take, player.go asks the player, ponder.go uses the
// opponent's time, and shim.go writes the Python client game_ai.py.
//
// A bot sends no second move before a fresh status has shown the opponent's answer to the
// first, and always has a legal move ready, whatever its player does. Answers of a server
// are bounded in size and time.
//
// A move needs these fields of an answer, in any spelling of package lenient; one without
// them is an error, and the request is repeated. Any other field that is odd is logged.
//
//	/reg/TEAM    player; or error_code, for a refusal
//	/status      status_code, board
//	/move/…      none: if the answer is no status, a fresh one is requested
package cwbot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/engine/wire/cwhttp"
)

// Defaults of a Bot.
const (
	DefaultMoveTime      = 3 * time.Second // assumed if the server runs no clock
	DefaultServerTimeout = time.Minute
)

// Errors of Bot.Play beside those of the network.
var (
	// ErrRestarted: the server shows a game that is not ours before ours had
	// ended.
	ErrRestarted = errors.New("the server was restarted: it shows another game than ours")
	// ErrNoAnswer: no usable status for longer than the bot's patience.
	ErrNoAnswer = errors.New("no usable answer from the server")
	// ErrNoGame: no game is under way that Bot.As could resume.
	ErrNoGame = errors.New("no game to resume")
)

// Bot plays one game on a server.
type Bot struct {
	Client *Client
	Team   string
	Player engine.Player
	// As skips the registration and resumes a game in which the team is already
	// registered as this player; engine.None registers. The protocol does not
	// tell which team plays which side: the caller must be right.
	As engine.Side
	// MoveTime is the most to spend on a move; 0 means what the server's
	// clock leaves, and DefaultMoveTime where none is running.
	MoveTime time.Duration
	// Overhead is kept back from the server's clock for the network if a request has
	// taken less; the player keeps back engine.Reserve.
	Overhead time.Duration
	// ServerTimeout is how long the server may give no usable answer; 0 means
	// DefaultServerTimeout.
	ServerTimeout time.Duration
	// Ponder lets a player that is an engine.Ponderer think while the opponent does.
	Ponder bool
	// Registered, if not nil, is called with the bot's side once it is known.
	Registered func(engine.Side)
	// Moved, if not nil, is called with each decision and the time it took.
	Moved func(p circuitwars.Position, d engine.Decision, took time.Duration)
	// Log receives the beginning of the wait for the opponent and everything out of the ordinary.
	Log *slog.Logger

	late *engine.WakeDelay // nil for MachineWakeDelay; tests have another one
}

// Outcome is how a game ended for a bot.
type Outcome struct {
	Side      engine.Side
	Status    circuitwars.Status // the first one that showed the end
	Moves     int                // moves the bot sent
	Slowest   time.Duration      // longest time from the status that gave it the turn to sending its move
	Fallbacks int                // moves that the player owed and the bot chose itself
}

// Won says whether the bot's side won; a tie is won by nobody.
func (o Outcome) Won() bool { return o.Winner() == o.Side }

// Winner is the side that won, None for a tie.
func (o Outcome) Winner() engine.Side {
	if o.Status.Code.Kind() == circuitwars.WonBy1.Kind() && o.Status.Position.Over() {
		return engine.Winner(o.Status.Position)
	}
	return o.Status.Code.Winner()
}

// String says it in a sentence.
func (o Outcome) String() string {
	score := o.Status.Position.Score()
	verdict := "tied"
	if w := o.Winner(); w == o.Side {
		verdict = "won"
	} else if w != engine.None {
		verdict = "lost"
	}
	s := fmt.Sprintf("%s %d–%d as %s", verdict, score[o.Side-1], score[o.Side.Other()-1], o.Side)
	if k := o.Status.Code.Kind(); k == circuitwars.IllegalBy1.Kind() {
		s += fmt.Sprintf(", illegal move by %s", o.Status.Code.Side())
	} else if k == circuitwars.TimeoutBy1.Kind() {
		s += fmt.Sprintf(", timeout by %s", o.Status.Code.Side())
	}
	return s
}

// Play registers, plays and returns when the game has ended, whoever won. It
// waits for an opponent as long as the context allows.
func (b *Bot) Play(ctx context.Context) (Outcome, error) {
	returned := make(chan struct{})
	close(returned)
	g := &botGame{Bot: *b, log: cmp.Or(b.Log, slog.New(slog.DiscardHandler)), heard: time.Now(), returned: returned}
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
	g.idle(context.Background(), time.Now().Add(time.Second))
	return g.out, err
}

// run polls and plays until a status shows the end.
func (g *botGame) run(ctx context.Context) error {
	for {
		st, at, err := g.Client.Status(ctx)
		if err == nil {
			err = g.take(st, at)
		}
		if errors.Is(err, ErrRestarted) || errors.Is(err, ErrNoGame) {
			return err
		}
		if err != nil {
			if err := g.trouble(ctx, err); err != nil {
				return err
			}
			continue
		}
		for ok := true; ok; {
			g.fine()
			if st.Code.Over() {
				g.out.Status = st
				return nil
			}
			// A move is often answered with a status: the next round's.
			st, at, ok = g.answer(ctx, st, at)
			ok = ok && g.take(st, at) == nil
		}
	}
}

// botGame is the game of a Bot under way.
type botGame struct {
	Bot // with its defaults
	log *slog.Logger

	out      Outcome
	heard    time.Time // last usable answer
	silent   bool      // the trouble since then has been logged
	odd      []string  // what was odd in statuses and has been logged
	waiting  bool      // the wait for the opponent has been logged
	started  bool      // a status has shown a turn
	drawn    int       // segments drawn in the last status
	asked    time.Time // when that status was asked for
	board    *grid.Board
	sent     *sentMove
	soFar    engine.SoFar
	returned <-chan struct{} // closed when the player's last Choose or Ponder has returned

	pondered grid.Set           // drawn in the position that was last pondered
	stop     context.CancelFunc // of that; nil before
}

// sentMove is the bot's last move until a status shows the answer to it.
type sentMove struct {
	segment int
	text    string
	before  circuitwars.Position
	still   int // fresh statuses that showed the position before as if nothing had been sent
	repeats int
}

// trouble notes a failed request and says whether the patience is at an end.
func (g *botGame) trouble(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if time.Since(g.heard) > g.ServerTimeout {
		return fmt.Errorf("%w for %v: %w", ErrNoAnswer, g.ServerTimeout, err)
	}
	if !g.silent {
		g.log.Warn("no usable answer, trying again", "cause", err)
		g.silent = true
	}
	// A refused connection comes back at once.
	return engine.Pause(ctx, max(g.Client.Interval, 20*time.Millisecond))
}

func (g *botGame) fine() {
	if g.silent {
		g.log.Info("the server answers again")
	}
	g.heard, g.silent = time.Now(), false
}

// register asks for a place until it is given or refused. Where the answer to
// a request got lost, the server may have registered the team all the same:
// then "taken" with only one player there means that it is us, and "started"
// with a game under way that we came second, which began it. That is likely
// and no more: the opponent may have come in the moment since then, or the game
// may be another two's.
func (g *botGame) register(ctx context.Context) error {
	lost := false
	for {
		side, err := g.Client.Register(ctx, g.Team)
		if err == nil {
			g.out.Side = side
			g.fine()
			return nil
		}
		var code cwhttp.RegisterCode
		if !errors.As(err, &code) {
			lost = lost || !errors.Is(err, ErrNotSent)
			if err := g.trouble(ctx, err); err != nil {
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
		case code == cwhttp.GameStarted && !st.Code.Over() && st.Code.Kind() == circuitwars.TurnOf1.Kind():
			g.log.Warn("the answer to the registration got lost and the game has begun: taken for the second player; if that is wrong, start again with --as 1", "team", g.Team)
			g.out.Side = engine.Second
		default:
			return err
		}
		g.fine()
		return nil
	}
}

// take checks a status, asked for at a moment, and goes on from there.
func (g *botGame) take(st circuitwars.Status, asked time.Time) error {
	g.logOdd(st)
	err := g.plausible(st)
	if resuming := g.As != engine.None && !g.started; resuming && (st.Code.Over() || errors.Is(err, ErrRestarted)) {
		return fmt.Errorf("%w: %s", ErrNoGame, st.Code.Text())
	}
	if err == nil && !g.waiting && st.Code == circuitwars.WaitingForSecond {
		g.waiting = true
		g.log.Info("waiting for the opponent")
	}
	if err != nil || st.Code.Over() || st.Code.Kind() == circuitwars.WaitingForBoth.Kind() {
		return err
	}
	n := st.Position.Drawn().Len()
	if st.TimeLeft > 0 && g.started && n > g.drawn {
		// The clock was started anew after the last status: the most that the
		// limit can be.
		g.Client.Hurry(millis(st.TimeLeft) + time.Since(g.asked))
	}
	g.started, g.drawn, g.board, g.asked = true, n, st.Position.Board(), asked
	return nil
}

// maxOdd is the maximum number of odd fields that are logged in a game.
const maxOdd = 20

// logOdd logs the odd fields of a status, each once.
func (g *botGame) logOdd(st circuitwars.Status) {
	for _, odd := range st.Odd {
		if len(g.odd) < maxOdd && !slices.Contains(g.odd, odd) {
			g.odd = append(g.odd, odd)
			g.log.Warn("the status has a field that cannot be used", "cause", odd)
		}
	}
}

// plausible checks a status against the game so far.
func (g *botGame) plausible(st circuitwars.Status) error {
	switch n := st.Position.Drawn().Len(); {
	case st.Code.Over():
		return nil
	case st.Code.Kind() == circuitwars.WaitingForBoth.Kind():
		// Registered, the first player can only wait for the second, who
		// begins the game.
		if g.started || st.Code != circuitwars.WaitingForSecond || g.out.Side != engine.First {
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

// answer sends a move if the status, asked for at the given moment, permits one.
// It returns the status that the server answered the move with, if any.
func (g *botGame) answer(ctx context.Context, st circuitwars.Status, at time.Time) (next circuitwars.Status, asked time.Time, ok bool) {
	switch st.Code {
	case circuitwars.TurnOf1.For(g.out.Side):
	case circuitwars.TurnOf1.For(g.out.Side.Other()):
		g.ponder(ctx, st.Position)
		return next, asked, false
	default:
		return next, asked, false
	}
	lim := g.limits(st, at)
	switch {
	case g.sent == nil || g.sent.answered(st.Position):
		g.stopPondering()
		d := g.choose(ctx, st.Position, lim)
		if ctx.Err() != nil {
			return next, asked, false
		}
		g.moves(st, at, d)
	case g.sent.lost(st.Position):
		g.log.Warn("the move did not arrive, sending it again", "move", g.sent.text)
	default:
		return next, asked, false
	}
	return g.send(ctx, lim)
}

// moves records a decision on the status asked for at the given moment as the
// move to send.
func (g *botGame) moves(st circuitwars.Status, at time.Time, d engine.Decision) {
	m, err := st.Position.ParseMove(d.Move)
	if err != nil {
		panic(err) // choose returns legal moves only
	}
	g.sent = &sentMove{segment: int(m), text: st.Position.MoveString(m), before: st.Position}
	g.out.Moves++
	if d.Source == engine.Fallback {
		g.out.Fallbacks++
	}
	spent := time.Since(at)
	g.out.Slowest = max(g.out.Slowest, spent)
	if g.Moved != nil {
		g.Moved(st.Position, d, spent)
	}
}

// send sends the move, again if no connection could be made and there is still
// time. ok is false if the server did not answer with a status.
func (g *botGame) send(ctx context.Context, lim limits) (st circuitwars.Status, at time.Time, ok bool) {
	for {
		st, at, ok, err := g.Client.Move(ctx, g.Team, g.sent.text)
		if err == nil {
			return st, at, ok
		}
		late := !lim.server.IsZero() && time.Now().After(lim.server)
		if late || !errors.Is(err, ErrNotSent) {
			g.log.Warn("no answer to the move", "cause", err)
			return st, at, false
		}
		if g.trouble(ctx, err) != nil {
			return st, at, false
		}
	}
}

// answered says whether the position shows the move and one after it.
func (m *sentMove) answered(p circuitwars.Position) bool {
	now, before := p.Drawn(), m.before.Drawn()
	if now.Has(m.segment) {
		return now.Len() >= before.Len()+2
	}
	// Not our game as we know it, but our turn in it.
	return now.Len() > before.Len()
}

// lost reports whether the move must be sent again: it got lost if two fresh
// statuses in a row, both fetched after the request for it had failed or was
// answered, give us the turn in the unchanged position. It counts them.
func (m *sentMove) lost(p circuitwars.Position) bool {
	const maxRepeats = 5
	if p.Drawn() != m.before.Drawn() {
		return false
	}
	m.still++
	if m.still < 2 || m.repeats == maxRepeats {
		return false
	}
	m.still = 0
	m.repeats++
	return true
}

// millis is the time that a server tells in milliseconds, an hour at most.
func millis(ms float64) time.Duration {
	return time.Duration(min(ms, 3.6e6) * float64(time.Millisecond))
}
