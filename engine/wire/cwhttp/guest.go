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
	"endwise/engine/arena"
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
// side is another guest, or a host, whose moves are played there with Observe.
// Guest is an engine.Player: Choose waits for the guest's move.
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
	Side  engine.Side
	// Timeout is the guest's time for a move; 0 sets no limit. The first move
	// of the game is not timed.
	Timeout time.Duration
	// Margin is by how much the guest may overrun it without losing.
	Margin time.Duration
	// Lost is called when the guest loses by rule, in or out of its turn, nil
	// for nothing. It must return at once.
	Lost func(arena.Fault)
}

// guestEvent is a move of the guest's or its loss by rule.
type guestEvent struct {
	segment int
	fault   *arena.Fault
}

// guestHooks is what the server tells its guests, under the server's lock.
type guestHooks struct {
	guests [2]*Guest // by side; nil for the host's
	host   string    // the host's team id, which nobody else can guess
}

// NewGuests seats a guest, or one on either side, at a server of their own and
// returns them by side; where nobody sits it is nil. Of two, the first player's
// program must have joined before the second one's is started. The server answers
// on ln until all of them are closed, or until the context ends.
func NewGuests(ctx context.Context, ln net.Listener, configs ...GuestConfig) ([2]*Guest, error) {
	h := &guestHooks{host: rand.Text()[:MaxTeam]}
	for _, cfg := range configs {
		if cfg.Side != engine.First && cfg.Side != engine.Second {
			return h.guests, fmt.Errorf("guest: side %d: want 1 or 2", cfg.Side)
		}
		h.guests[cfg.Side-1] = &Guest{cfg: cfg, joined: make(chan struct{}), events: make(chan guestEvent, guestEvents)}
	}
	srv, err := NewServer(ServerConfig{Timeout: configs[0].Timeout})
	if err != nil {
		return h.guests, err
	}
	srv.start, srv.guest = configs[0].Start, h
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
	return h.guests, nil
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
	fault := &arena.Fault{End: arena.Timeout, Reason: "no move within the server's limit", Turn: len(game.moves) + 1}
	if n := len(game.moves); n > 0 && game.code.Kind() == circuitwars.IllegalBy1.Kind() {
		fault = &arena.Fault{End: arena.Illegal, Reason: cause, Move: game.moves[n-1].Text, Turn: n}
		if !strings.HasPrefix(cause, "move ") { // else it names the move itself
			fault.Reason = fmt.Sprintf("move %q: %s", fault.Move, cause)
		}
	}
	g.tell(guestEvent{fault: fault})
	if g.cfg.Lost != nil {
		g.cfg.Lost(*fault)
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
// game has reached. A guest that loses by rule is an *arena.Fault. A move that
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
	if e.fault != nil {
		return engine.Decision{}, e.fault
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
