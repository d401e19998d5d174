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
	// hostGrace is the time that the server's clock gives the host beyond limit and margin:
	// the caller of Observe keeps the host's time.
	hostGrace = 2 * time.Second
	// guestEvents is the capacity for a guest's moves that have not been requested yet. A
	// second move in one turn loses, so it is never exceeded.
	guestEvents = 4
)

// Guest is an external program that uses the protocol, as a player in this process. The
// program plays one side on a server here. The other side is another guest, or a host,
// whose moves are passed to Observe. Guest is an [engine.Player]: Choose waits for the
// program's move.
//
// The program sees what it would see on any server: the host is a team like any other, the
// clock runs from one move to the next, and a move out of turn loses. Every team id is
// accepted, and /restart has no effect.
type Guest struct {
	cfg    GuestConfig
	srv    *Server
	url    string
	joined chan struct{}
	events chan guestEvent
	close  func() error
}

// GuestConfig configures a guest's game.
type GuestConfig struct {
	// Start is the initial position.
	Start circuitwars.Position
	Side  engine.Side
	// Timeout is the guest's time per move; 0 means no limit. The first move of the game is
	// not timed.
	Timeout time.Duration
	// Margin is the additional time before a late move loses.
	Margin time.Duration
	// Lost, if not nil, is called when the guest forfeits, in or out of its turn. It must
	// not block.
	Lost func(arena.Fault)
}

// guestEvent is a move of the guest or its forfeit.
type guestEvent struct {
	segment int
	fault   *arena.Fault
}

// guestHooks passes the server's events to its guests, under the server's lock.
type guestHooks struct {
	guests [2]*Guest // by side; nil for the host's
	host   string    // the host's team id, which clients cannot guess
}

// NewGuests starts a server for one guest, or for one on either side, and returns them by
// side; the side of a host is nil. The first player's program must have joined before the
// second player's is started. The server answers on ln until all guests are closed or ctx
// ends.
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

// registered records a guest's registration, and registers the host after it if the host
// moves first. It is called under the server's lock.
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

// grace returns the time of a side's clock beyond the limit.
func (h *guestHooks) grace(side engine.Side) time.Duration {
	if g := h.guests[side-1]; g != nil {
		return g.cfg.Margin
	}
	return h.guests[side.Other()-1].cfg.Margin + hostGrace
}

// moved passes a move of a guest to its Choose.
func (h *guestHooks) moved(side engine.Side, segment int) {
	if g := h.guests[side-1]; g != nil {
		g.tell(guestEvent{segment: segment})
	}
}

// ended tells a guest that it has forfeited.
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
		if !strings.HasPrefix(cause, "move ") { // otherwise it names the move itself
			fault.Reason = fmt.Sprintf("move %q: %s", fault.Move, cause)
		}
	}
	g.tell(guestEvent{fault: fault})
	if g.cfg.Lost != nil {
		g.cfg.Lost(*fault)
	}
}

// tell never blocks: the rules keep the number of events below the capacity.
func (g *Guest) tell(e guestEvent) {
	select {
	case g.events <- e:
	default:
	}
}

// URL returns the server's address for the guest.
func (g *Guest) URL() string { return g.url }

// Joined is closed when the guest has registered and the game begins.
func (g *Guest) Joined() <-chan struct{} { return g.joined }

// Name returns "guest".
func (g *Guest) Name() string { return "guest" }

// Choose waits for the guest's move in p, which must be the current position. If the guest
// forfeits, the error is an *arena.Fault. A move that has arrived is returned even if ctx
// has ended.
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

// Observe plays the host's moves on the guest's server, which contains the guests' moves
// already.
func (g *Guest) Observe(_ context.Context, by engine.Side, m engine.Move, after engine.Position) error {
	if g.srv.guest.guests[by-1] == nil {
		g.srv.move(time.Now(), g.srv.guest.host, after.MoveString(m))
	}
	return nil
}

// Lose ends a game that is still running with a loss of the given side, visible to the
// guest.
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

// Close ends the server once all its guests are closed.
func (g *Guest) Close() error { return g.close() }
