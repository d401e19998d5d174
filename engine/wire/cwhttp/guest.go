package cwhttp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
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
// process. The program, the guest, plays one side on a server here; the other
// side is another guest (NewGuests), or a host, whose moves are played there with
// Observe. Guest is an engine.Player: Choose waits for the guest's move.
//
// The guest sees what it would see on any server: the host is a team like any
// other, the clock runs from one move to the next, and a move out of turn
// loses. Any team id will do, and /restart changes nothing.
type Guest struct {
	cfg    GuestConfig
	srv    *Server
	url    string
	joined chan struct{}
	events chan guestEvent
	close  func() error
}

// GuestConfig says what a guest plays.
type GuestConfig struct {
	// Start is the position in which the game begins.
	Start circuitwars.Position
	// Side is the guest's, ignored by NewGuests.
	Side engine.Side
	// Timeout is the guest's time for a move; 0 sets no limit. The first move
	// of the game is not timed.
	Timeout time.Duration
	// Margin is by how much the guest may overrun it without losing.
	Margin time.Duration
	// Lost is called when the guest loses by rule, in or out of its turn, nil
	// for nothing. It must return at once.
	Lost func(*GuestLoss)
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

// guestHooks is what the server tells its guests, under the server's lock.
type guestHooks struct {
	guests [2]*Guest // by side; nil for the host's
	host   string    // the host's team id, which nobody else can guess
}

// NewGuest seats a guest at a server of its own, which answers on ln until Close
// or until the context ends.
func NewGuest(ctx context.Context, ln net.Listener, cfg GuestConfig) (*Guest, error) {
	if cfg.Side != engine.First && cfg.Side != engine.Second {
		return nil, fmt.Errorf("guest: side %d: want 1 or 2", cfg.Side)
	}
	hooks := &guestHooks{host: rand.Text()[:MaxTeam]}
	g := newGuest(cfg)
	hooks.guests[cfg.Side-1] = g
	return g, hooks.serve(ctx, ln, cfg)
}

// NewGuests seats two guests at one server. The first player's program must have
// joined before the second one's is started. The server ends when both are
// closed, or with the context.
func NewGuests(ctx context.Context, ln net.Listener, first, second GuestConfig) ([2]*Guest, error) {
	first.Side, second.Side = engine.First, engine.Second
	hooks := &guestHooks{guests: [2]*Guest{newGuest(first), newGuest(second)}}
	return hooks.guests, hooks.serve(ctx, ln, first)
}

func newGuest(cfg GuestConfig) *Guest {
	return &Guest{cfg: cfg, joined: make(chan struct{}), events: make(chan guestEvent, guestEvents)}
}

// serve starts the server of the guests; cfg is that of one of them.
func (h *guestHooks) serve(ctx context.Context, ln net.Listener, cfg GuestConfig) error {
	srv, err := NewServer(ServerConfig{Timeout: cfg.Timeout})
	if err != nil {
		return err
	}
	srv.start, srv.guest = cfg.Start, h
	srv.game = srv.newGame()
	if h.guests[0] == nil {
		srv.register(time.Now(), h.host)
	}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	var left atomic.Int32
	leave := func() error {
		if left.Add(-1) > 0 {
			return nil
		}
		cancel()
		if err := <-served; !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
	for _, g := range h.guests {
		if g != nil {
			left.Add(1)
			g.srv, g.url, g.close = srv, "http://"+ln.Addr().String(), leave
		}
	}
	go func() { served <- srv.Serve(ctx, ln) }()
	return nil
}

// registered notes the guest that has come, and seats the host behind it if it
// is to move first. Called under the server's lock.
func (h *guestHooks) registered(s *Server, game *serverGame, team string) {
	g := h.guests[len(game.teams)-1]
	if g == nil {
		return // the host
	}
	close(g.joined)
	if len(game.teams) == 1 && h.guests[1] == nil {
		s.seat(game, h.host)
	}
}

// grace is what a side's clock has beyond the limit.
func (h *guestHooks) grace(side engine.Side) time.Duration {
	if g := h.guests[side-1]; g != nil {
		return g.cfg.Margin
	}
	return h.guests[side.Other()-1].cfg.Margin + hostGrace
}

// moved hands a move of a guest's to its Choose.
func (h *guestHooks) moved(side engine.Side, segment int) {
	if g := h.guests[side-1]; g != nil {
		g.tell(guestEvent{segment: segment})
	}
}

// ended tells a guest that it has lost by rule.
func (h *guestHooks) ended(game *serverGame, cause string) {
	if game.code.Kind() == circuitwars.WonBy1.Kind() {
		return
	}
	g := h.guests[game.code.Side()-1]
	if g == nil {
		return
	}
	loss := &GuestLoss{Code: game.code, Cause: cause, Turn: len(game.moves) + 1}
	if n := len(game.moves); n > 0 && game.code.Kind() == circuitwars.IllegalBy1.Kind() {
		loss.Move, loss.Turn = game.moves[n-1].Text, n
	}
	g.tell(guestEvent{loss: loss})
	if g.cfg.Lost != nil {
		g.cfg.Lost(loss)
	}
}

// tell never waits; by the rules there is always room.
func (g *Guest) tell(e guestEvent) {
	select {
	case g.events <- e:
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

// Observe plays the host's moves on the guest's server; those of guests are
// there already.
func (g *Guest) Observe(_ context.Context, by engine.Side, m engine.Move, after engine.Position) error {
	if g.srv.guest.guests[by-1] == nil {
		g.srv.move(time.Now(), g.srv.guest.host, after.MoveString(m))
	}
	return nil
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

// Close ends the server, with two guests after both of them.
func (g *Guest) Close() error { return g.close() }
