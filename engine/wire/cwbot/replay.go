package cwbot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// Replay plays a recorded game on a server for both players.
type Replay struct {
	Client *Client
	// Pace is the time from one move to the next; 0 means only the client's interval.
	Pace time.Duration
	// Restart requests a new game first. Otherwise the server must be waiting for both players.
	Restart bool
}

// Errors of Replay.Play.
var (
	// ErrBusy means that the server has a game in progress.
	ErrBusy = errors.New("the server has a game already")
	// ErrNoEnd means that the server did not end the game.
	ErrNoEnd = errors.New("the server did not end the game")
)

// Play registers the log's teams, sends the log's moves as they were sent, including illegal
// ones, and returns the first status that shows an end. v is the verdict of [circuitwars.Judge] on
// the log. If the loser's last move was late, Play does not send this move.
func (r Replay) Play(ctx context.Context, g circuitwars.Log, v circuitwars.Verdict) (circuitwars.Status, error) {
	st, err := r.begin(ctx, g, v)
	if err != nil {
		return st, err
	}
	moves := g.Moves
	if v.Code.Kind() == circuitwars.KindTimeout && v.Code.Side() != v.Final.Turn() && len(moves) > 0 {
		moves = moves[:len(moves)-1]
	}
	for i, m := range moves {
		next := time.Now().Add(r.Pace)
		after, _, ok, err := r.Client.Move(ctx, m.Team, m.Text)
		if err == nil && !ok {
			after, _, err = r.Client.Status(ctx)
		}
		if err != nil {
			return st, fmt.Errorf("move %d: %w", i+1, err)
		}
		if st = after; st.Code.Over() {
			return st, nil
		}
		if err := engine.Pause(ctx, time.Until(next)); err != nil {
			return st, err
		}
	}
	return r.waitForEnd(ctx, st)
}

// begin restarts the server if r.Restart is set, reads the status that it returns, and registers the teams.
func (r Replay) begin(ctx context.Context, g circuitwars.Log, v circuitwars.Verdict) (circuitwars.Status, error) {
	c := r.Client
	if r.Restart {
		if err := c.Restart(ctx); err != nil {
			return circuitwars.Status{}, fmt.Errorf("restart: %w", err)
		}
	}
	st, _, err := c.Status(ctx)
	if err != nil {
		return st, err
	}
	if st.Code != circuitwars.WaitingForBoth {
		return st, fmt.Errorf("%w: status %d", ErrBusy, int(st.Code))
	}
	if st.Position.Board() != v.Final.Board() {
		return st, fmt.Errorf("the server's board is %s, the log's %s", st.Position.Board(), v.Final.Board())
	}
	for i, team := range g.Teams {
		side, err := c.Register(ctx, team)
		if err != nil {
			return st, fmt.Errorf("team %q: %w", team, err)
		}
		if side != engine.Side(i+1) {
			return st, fmt.Errorf("team %q: registered as %s, want player %d", team, side, i+1)
		}
	}
	return st, nil
}

// waitForEnd requests statuses until one shows an end, for at most ten seconds after the end of the
// server's clock, or one second if no clock is running. st is the last status so far.
func (r Replay) waitForEnd(ctx context.Context, st circuitwars.Status) (circuitwars.Status, error) {
	wait := time.Second
	if st.TimeLeft > 0 {
		wait = millis(st.TimeLeft) + 10*time.Second
	}
	limit := time.Now().Add(wait)
	for !st.Code.Over() {
		if time.Now().After(limit) {
			return st, fmt.Errorf("%w within %v after the last move: status %d", ErrNoEnd, wait, int(st.Code))
		}
		if err := engine.Pause(ctx, 20*time.Millisecond); err != nil {
			return st, err
		}
		var err error
		if st, _, err = r.Client.Status(ctx); err != nil {
			return st, err
		}
	}
	return st, nil
}
