package cwhttp

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// Match is one game between two players over real HTTP: a server of its own
// on a free local port and a Bot for each side.
type Match struct {
	Players [2]engine.Player // the first one moves first
	Board   string           // "" means the championship's
	// Timeout is the server's time for a move; 0 sets no limit.
	Timeout time.Duration
	// MoveTime is the most that a player is given for a move; 0 means what
	// the server's clock leaves.
	MoveTime time.Duration
	// Interval is the bots' time between two requests; 0 means none, since
	// the server is our own.
	Interval time.Duration
	// Log is as in Bot; nil for none.
	Log *slog.Logger
}

// matchTeams are the team ids of a Match.
var matchTeams = [2]string{"player1", "player2"}

// Play plays the game to its end.
func (m Match) Play(ctx context.Context) (game circuitwars.Log, outcomes [2]Outcome, err error) {
	srv, err := NewServer(ServerConfig{Board: m.Board, Timeout: m.Timeout})
	if err != nil {
		return game, outcomes, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return game, outcomes, fmt.Errorf("match: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	served := make(chan error, 1)
	go func() {
		err := srv.Serve(ctx, ln)
		cancel(err)
		served <- err
	}()
	played := make(chan error, len(m.Players))
	var bots [2]*Bot
	for i, p := range m.Players {
		c, err := NewClient("http://" + ln.Addr().String())
		if err != nil {
			return game, outcomes, err
		}
		c.Interval = m.Interval
		bots[i] = &Bot{Client: c, Team: matchTeams[i], Player: p, As: engine.Side(i + 1), MoveTime: m.MoveTime, Log: m.Log}
		// Registered here: the order of arrival makes the sides.
		if _, err := c.Register(ctx, matchTeams[i]); err != nil {
			return game, outcomes, fmt.Errorf("match: %w", err)
		}
	}
	for i, b := range bots {
		go func() {
			out, err := b.Play(ctx)
			outcomes[i] = out
			if err != nil {
				cancel(err)
			}
			played <- err
		}()
	}
	for range bots {
		if e := <-played; e != nil && err == nil {
			err = fmt.Errorf("match: %w", e)
		}
	}
	if err == nil {
		game, _, err = srv.Result(ctx)
	}
	cancel(nil)
	if e := <-served; err == nil {
		err = e
	}
	return game, outcomes, err
}
