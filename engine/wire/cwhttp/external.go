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

const hostGrace = 2 * time.Second // the host's additional time on the server's clock

// ExternalPlayer is an [engine.Player] whose moves an external program makes. The program
// plays one side on a [Server] in this process. The other side is another ExternalPlayer, or
// a player of this process, called the host, whose moves are passed to Observe.
//
// The server accepts every team id except "", and ignores /restart. Otherwise it behaves like any
// [Server]: the host is a team like the program, the clock runs from one move to the next, and a move
// out of turn loses.
type ExternalPlayer struct {
	cfg    ExternalConfig
	srv    *Server
	url    string
	joined chan struct{}      // closed when the program has registered
	events chan externalEvent // the program's moves and forfeit, for Choose
	close  func() error       // ends the server after the last player
}

type ExternalConfig struct {
	Start circuitwars.Position
	Side  engine.Side
	// Timeout is the program's time per move; 0 means no limit. The first move of the game is not timed.
	Timeout time.Duration
	Grace   time.Duration // additional time before a late move loses
	// Lost, if not nil, is called when the program forfeits. It must not block.
	Lost func(arena.Fault)
}

type externalEvent struct {
	segment int
	fault   *arena.Fault
}

// externalHooks passes the server's events to its external players. Its methods are called with
// the server's lock held.
type externalHooks struct {
	players [2]*ExternalPlayer // by side; nil for the host's
	host    string             // the host's team id, which clients cannot guess
}

// NewExternalPlayers starts a server for one or two external players and returns the players by side; the
// host's side is nil. There is one config per player, with different sides and equal Start and Timeout.
// The first team that registers is the first side. The server answers on ln until all players are closed
// or ctx ends. If a config is invalid, NewExternalPlayers returns an error and leaves ln open.
func NewExternalPlayers(ctx context.Context, ln net.Listener, configs ...ExternalConfig) ([2]*ExternalPlayer, error) {
	h := &externalHooks{host: rand.Text()[:MaxTeam]}
	for _, cfg := range configs {
		if cfg.Side != engine.First && cfg.Side != engine.Second {
			return h.players, fmt.Errorf("external player: side %d: want 1 or 2", cfg.Side)
		}
		h.players[cfg.Side-1] = &ExternalPlayer{
			cfg: cfg, joined: make(chan struct{}),
			events: make(chan externalEvent, cfg.Start.Board().Segments()+1), // a move per segment and a forfeit
		}
	}
	srv, err := NewServer(ServerConfig{Timeout: configs[0].Timeout})
	if err != nil {
		return h.players, err
	}
	srv.start, srv.external = configs[0].Start, h
	srv.game = srv.newGame()
	if h.players[0] == nil {
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
	for _, g := range h.players {
		if g != nil {
			left.Add(1)
			g.srv, g.url, g.close = srv, "http://"+ln.Addr().String(), leave
		}
	}
	go func() { served <- srv.Serve(ctx, ln) }()
	return h.players, nil
}

// registered is called when a team was added to game. It closes the channel of Joined for a program and,
// if the host plays the second side, adds the host's team.
func (h *externalHooks) registered(s *Server, game *serverGame) {
	g := h.players[len(game.teams)-1]
	if g == nil {
		return // the host
	}
	close(g.joined)
	if len(game.teams) == 1 && h.players[1] == nil {
		s.addTeam(game, h.host)
	}
}

// grace returns the additional time of a side on the server's clock.
func (h *externalHooks) grace(side engine.Side) time.Duration {
	if g := h.players[side-1]; g != nil {
		return g.cfg.Grace
	}
	return h.players[side.Other()-1].cfg.Grace + hostGrace
}

// moved passes a legal move of an external player to its Choose.
func (h *externalHooks) moved(side engine.Side, segment int) {
	if g := h.players[side-1]; g != nil {
		g.send(externalEvent{segment: segment})
	}
}

// ended passes a forfeit of an external player to its Choose and to Lost. cause is the reason why a
// move was illegal, "" for a timeout or if it is unknown.
func (h *externalHooks) ended(game *serverGame, cause string) {
	if game.code.Kind() == circuitwars.KindWon {
		return
	}
	g := h.players[game.code.Side()-1]
	if g == nil {
		return
	}
	fault := &arena.Fault{End: arena.Timeout, Reason: fmt.Sprintf("no move within %v", g.cfg.Timeout+g.cfg.Grace), Turn: len(game.moves) + 1}
	if n := len(game.moves); n > 0 && game.code.Kind() == circuitwars.KindIllegal {
		fault = &arena.Fault{End: arena.Illegal, Reason: cause, Move: game.moves[n-1].Text, Turn: n}
		if game.position.Turn() != game.code.Side() {
			fault.Word = arena.OutOfTurn
		}
		if !strings.Contains(cause, "move") { // otherwise cause contains the move
			fault.Reason = fmt.Sprintf("move %q: %s", fault.Move, cause)
		}
	}
	g.send(externalEvent{fault: fault})
	if g.cfg.Lost != nil {
		g.cfg.Lost(*fault)
	}
}

// send passes an event to Choose without waiting; events has room for a whole game.
func (g *ExternalPlayer) send(e externalEvent) {
	select {
	case g.events <- e:
	default:
	}
}

func (g *ExternalPlayer) URL() string { return g.url }

// Joined returns a channel that is closed when the program has registered.
func (g *ExternalPlayer) Joined() <-chan struct{} { return g.joined }

func (g *ExternalPlayer) Name() string { return "program" }

// Choose waits for the program's move in p, which must be the current position. If the program forfeits,
// the error is an *[arena.Fault]. A move that has arrived is returned even if ctx has ended.
func (g *ExternalPlayer) Choose(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	var e externalEvent
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
	return engine.Decision{Move: p.MoveString(engine.Move(e.segment)), Source: "program"}, nil
}

// Observe plays a move of the host on the server. Moves of programs are ignored.
func (g *ExternalPlayer) Observe(_ context.Context, by engine.Side, m engine.Move, after engine.Position) error {
	if g.srv.external.players[by-1] == nil {
		g.srv.move(time.Now(), g.srv.external.host, after.MoveString(m))
	}
	return nil
}

// Lose ends a game in progress with a loss of the given side: by an illegal move if illegal is true,
// otherwise by a timeout.
func (g *ExternalPlayer) Lose(side engine.Side, illegal bool) {
	g.srv.mu.Lock()
	defer g.srv.mu.Unlock()
	game := g.srv.game
	if len(game.teams) < 2 || game.code.Over() || game.abandoned {
		return
	}
	code := circuitwars.TimeoutBy1
	if illegal {
		code = circuitwars.IllegalBy1
	}
	g.srv.end(game, code.For(side), "")
}

// Close must be called once per player; the last call ends the server.
func (g *ExternalPlayer) Close() error { return g.close() }
