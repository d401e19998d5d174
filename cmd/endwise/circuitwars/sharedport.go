package circuitwars

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/wire/cwhttp"
)

// studentAddress is the server address built into programs of the championship.
const studentAddress = "127.0.0.1:5000"

// sharedPort is an address for programs that cannot have their own networks. One game at a time is played
// at it, on one server.
type sharedPort struct {
	address string

	mu      sync.Mutex
	current *portGame // nil between games
}

// portGame is a game at a [sharedPort].
type portGame struct {
	id      string
	players [2]*cwhttp.ExternalPlayer // by side; nil for a player of this process
	lost    func(arena.Fault)         // ExternalConfig.Lost of the player that entered last
	err     error                     // of beginning the game
	users   int                       // external players that have not left
	left    chan struct{}             // closed when the first external player leaves
	over    chan struct{}             // closed when all external players have left
}

// checkFree returns an error if the address cannot be used.
func (s *sharedPort) checkFree() error {
	ln, err := net.Listen("tcp", s.address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("programs play at %s here, and another program uses it: end that program", s.address)
	}
	if err != nil {
		return fmt.Errorf("programs play at %s here: %w", s.address, err)
	}
	return ln.Close()
}

// enter returns the external player of cfg.Side in the game id, and the game. It waits for the end of another
// game. alone means that the other side plays in this process. All programs of a game must call enter, with
// the same ctx. If g is not nil, the caller must call leave, also after an error.
func (s *sharedPort) enter(ctx context.Context, id string, cfg cwhttp.ExternalConfig, alone bool) (
	player *cwhttp.ExternalPlayer, g *portGame, err error) {
	for {
		s.mu.Lock()
		ended := ctx.Err()
		if s.current == nil && ended == nil {
			s.current = s.open(ctx, id, cfg, alone)
		}
		if g = s.current; g != nil && g.id == id {
			g.lost = cfg.Lost
			s.mu.Unlock()
			return g.players[cfg.Side-1], g, g.err
		}
		s.mu.Unlock()
		if ended != nil {
			return nil, nil, ended
		}
		select {
		case <-g.over:
		case <-ctx.Done():
		}
	}
}

// open begins a game; the parameters are those of enter. The caller holds the lock.
func (s *sharedPort) open(ctx context.Context, id string, cfg cwhttp.ExternalConfig, alone bool) *portGame {
	g := &portGame{id: id, left: make(chan struct{}), over: make(chan struct{})}
	configs := []cwhttp.ExternalConfig{cfg}
	if !alone {
		// The opponent's Lost is called only after the opponent has entered, which sets g.lost.
		cfg.Side, cfg.Lost = cfg.Side.Other(), func(f arena.Fault) { g.lost(f) }
		configs = append(configs, cfg)
	}
	g.users = len(configs)
	ln, err := net.Listen("tcp", s.address)
	if err == nil {
		if g.players, err = cwhttp.NewExternalPlayers(ctx, ln, configs...); err != nil {
			ln.Close()
		}
	}
	g.err = err
	return g
}

// leave closes player, which [sharedPort.enter] returned with g, and returns the error of closing. The
// first call for g closes g.left, the last one g.over.
func (s *sharedPort) leave(g *portGame, player *cwhttp.ExternalPlayer) (err error) {
	if g.err == nil {
		err = player.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.users--; g.users == 0 {
		s.current = nil
		close(g.over)
	}
	select {
	case <-g.left:
	default:
		close(g.left)
	}
	return err
}

// waitTurn waits until the program of side may register: that of the second player after that of the first.
// It returns false if a program leaves before the first player has registered, or if ctx ends.
func (g *portGame) waitTurn(ctx context.Context, side engine.Side) bool {
	if side == engine.First || g.players[0] == nil {
		return true
	}
	select {
	case <-g.players[0].Joined():
		return true
	case <-g.left:
	case <-ctx.Done():
	}
	return false
}
