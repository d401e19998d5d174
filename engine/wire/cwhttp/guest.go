package cwhttp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

const (
	// hostGrace is what the server's clock gives the host beyond limit and margin:
	// whoever plays the host side keeps its time.
	hostGrace = 2 * time.Second
	// guestEvents is the room for a guest's moves that nobody has asked for
	// yet; it can't have more than one a turn, and then loses.
	guestEvents = 4
)

// Guest makes an outside program that speaks the protocol a player in this
// process. It runs a server of its own at which the program, the guest, plays
// one side; the host plays the other side's moves there with Observe. Guest is
// an engine.Player: Choose waits for the guest's move.
//
// The guest sees what it would see on any server: the host is a team like any
// other, the clock runs from one move to the next, and a move out of turn
// loses. /restart changes nothing here.
type Guest struct {
	cfg    GuestConfig
	srv    *Server
	url    string
	cancel context.CancelFunc
	served chan error

	joined     chan struct{}
	joinedOnce sync.Once
	events     chan guestEvent
}

// GuestConfig says what a guest plays.
type GuestConfig struct {
	// Start is the position in which the game begins.
	Start circuitwars.Position
	// Side is the guest's.
	Side engine.Side
	// Timeout is the guest's time for a move; 0 sets no limit. The first move
	// of the game is not timed.
	Timeout time.Duration
	// Margin is by how much the guest may overrun it without losing.
	Margin time.Duration
	// Lost is called when the guest loses by rule, in or out of its turn, nil
	// for nothing. It must return at once.
	Lost func(*GuestLoss)
	// Log is as in ServerConfig.
	Log *slog.Logger
}

// GuestLoss is a game that the guest lost by rule; Choose returns it as an
// error.
type GuestLoss struct {
	Code  circuitwars.Code // an illegal move or a timeout
	Move  string           // the illegal move as it was sent
	Cause string           // why it was illegal
	Turn  int              // the number of the move that should have been played, from 1
}

// Error says what happened.
func (l *GuestLoss) Error() string {
	if l.Code.Kind() == circuitwars.TimeoutBy1.Kind() {
		return "no move within the server's limit"
	}
	if strings.HasPrefix(l.Cause, "move ") {
		return l.Cause // names the move itself
	}
	return fmt.Sprintf("move %q: %s", l.Move, l.Cause)
}

// guestEvent is a move of the guest's or its loss.
type guestEvent struct {
	segment int
	loss    *GuestLoss
}

// guestHooks is what the server tells a Guest, under the server's lock.
type guestHooks struct {
	*Guest
	host string // the host's team id, which nobody else can guess
}

// NewGuest starts the server on a free local port. It runs until Close or
// until the context ends.
func NewGuest(ctx context.Context, cfg GuestConfig) (*Guest, error) {
	if cfg.Side != engine.First && cfg.Side != engine.Second {
		return nil, fmt.Errorf("guest: side %d: want 1 or 2", cfg.Side)
	}
	srv, err := NewServer(ServerConfig{Timeout: cfg.Timeout, Log: cfg.Log})
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	g := &Guest{
		cfg: cfg, srv: srv, url: "http://" + ln.Addr().String(), cancel: cancel,
		served: make(chan error, 1), joined: make(chan struct{}), events: make(chan guestEvent, guestEvents),
	}
	hooks := &guestHooks{g, rand.Text()[:MaxTeam]}
	srv.start, srv.guest = cfg.Start, hooks
	srv.game = srv.newGame()
	if cfg.Side == engine.Second {
		srv.register(time.Now(), hooks.host)
	}
	go func() { g.served <- srv.Serve(ctx, ln) }()
	return g, nil
}

// registered seats the host behind a guest that came first. Called under the
// server's lock.
func (h *guestHooks) registered(s *Server, game *serverGame, team string) {
	if team == h.host {
		return
	}
	h.joinedOnce.Do(func() { close(h.joined) })
	if len(game.teams) == 1 {
		s.seat(game, h.host)
	}
}

// grace is what a side's clock has beyond the limit.
func (h *guestHooks) grace(side engine.Side) time.Duration {
	if side == h.cfg.Side {
		return h.cfg.Margin
	}
	return h.cfg.Margin + hostGrace
}

// moved hands a move of the guest's to Choose.
func (h *guestHooks) moved(side engine.Side, segment int) {
	if side == h.cfg.Side {
		h.tell(guestEvent{segment: segment})
	}
}

// ended tells that the guest has lost by rule.
func (h *guestHooks) ended(game *serverGame, cause string) {
	if game.code.Kind() == circuitwars.WonBy1.Kind() || game.code.Side() != h.cfg.Side {
		return
	}
	loss := &GuestLoss{Code: game.code, Cause: cause, Turn: len(game.moves) + 1}
	if n := len(game.moves); n > 0 && game.code.Kind() == circuitwars.IllegalBy1.Kind() {
		loss.Move, loss.Turn = game.moves[n-1].Text, n
	}
	h.tell(guestEvent{loss: loss})
	if h.cfg.Lost != nil {
		h.cfg.Lost(loss)
	}
}

// tell never waits; by the rules there is always room.
func (h *guestHooks) tell(e guestEvent) {
	select {
	case h.events <- e:
	default:
	}
}

// URL is the server's address for the guest.
func (g *Guest) URL() string { return g.url }

// Joined is closed when the guest has registered and the game begins.
func (g *Guest) Joined() <-chan struct{} { return g.joined }

// Name names the wire.
func (g *Guest) Name() string { return "guest" }

// Choose waits for the guest's move in p, which must be the position that the
// game has reached. A guest that loses by rule is a *GuestLoss. A move that
// has arrived is returned even if the context has ended.
func (g *Guest) Choose(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	var e guestEvent
	select {
	case e = <-g.events:
	case <-ctx.Done():
		select {
		case e = <-g.events:
		default:
			return engine.Decision{}, ctx.Err()
		}
	}
	if e.loss != nil {
		return engine.Decision{}, e.loss
	}
	return engine.Decision{Move: p.MoveString(engine.Move(e.segment)), Source: "guest"}, nil
}

// Observe plays the host's moves on the guest's server; the guest's own are
// there already.
func (g *Guest) Observe(by engine.Side, m engine.Move, after engine.Position) {
	if by != g.cfg.Side {
		g.srv.move(time.Now(), g.srv.guest.host, after.MoveString(m))
	}
}

// Lose ends the game with a loss of the given side if it is still on, for the
// guest to see.
func (g *Guest) Lose(side engine.Side, illegal bool) {
	g.srv.mu.Lock()
	defer g.srv.mu.Unlock()
	game := g.srv.game
	if len(game.teams) < 2 || game.code.Over() || game.givenUp {
		return
	}
	code := circuitwars.TimeoutBy1
	if illegal {
		code = circuitwars.IllegalBy1
	}
	g.srv.end(game, code.For(side), "")
}

// Close ends the server.
func (g *Guest) Close() error {
	g.cancel()
	err := <-g.served
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
