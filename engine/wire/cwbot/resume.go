package cwbot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// What makes a bot go on with a game is Bot.As (bot.go); here is what makes it stop
// again. Such a bot believes whoever started it that its team plays that side
// there. The protocol tells nobody who plays which side, and a move for the wrong
// one loses the game; so until the server has taken a move of its own, the bot
// looks for signs that it is not true:
//
//   - Somebody else plays the side. Before its first move the bot therefore
//     uses its time to watch: whoever really plays that side comes first.
//   - The server answers the move with a line of text, as it does for a team
//     that it does not know, and does not play it.
//   - The game ends before a move was taken.

// ErrNotOurs: the game that Bot.As was to go on with is not the team's, or not
// as that player.
var ErrNotOurs = errors.New("this is not a game to go on with")

// foreign is ErrNotOurs with what shows it.
func (g *botGame) foreign(sign string) error {
	return fmt.Errorf("%w: %s; are team %q and --as %d right?", ErrNotOurs, sign, engine.OneLine(g.Team, 60), g.As)
}

// unproved says whether the server still has to take a first move of a bot that
// goes on with a game.
func (g *botGame) unproved() bool { return g.As != engine.None && !g.proved }

// suspect compares a status with the last one and the move sent since, and
// returns an error when somebody else plays our side, or nobody.
func (g *botGame) suspect(st circuitwars.Status) error {
	if !g.unproved() || st.Code.Kind() == circuitwars.WaitingForBoth.Kind() {
		return nil
	}
	last := g.last
	g.last = &st
	switch {
	case g.sent != nil && st.Position.Drawn().Has(g.sent.segment):
		// Whoever plays the side may have had the same idea.
		if g.proved = !g.unknown; g.proved || !st.Code.Over() {
			return nil
		}
	case g.sent != nil && st.Code == circuitwars.IllegalBy1.For(g.As.Other()):
		return g.foreign(fmt.Sprintf("our move was an illegal one of %s", g.As.Other()))
	case g.sent != nil && g.unknown:
		return g.foreign("the server does not know the team")
	}
	if last != nil {
		moves := st.Position.Drawn().Len() - last.Position.Drawn().Len()
		if last.Code == circuitwars.TurnOf1.For(g.As) {
			moves++
		}
		if moves >= 2 {
			return g.foreign(fmt.Sprintf("somebody else plays %s", g.As))
		}
	}
	if st.Code.Over() {
		return g.foreign("it is over before a move of ours: " + st.Code.Text())
	}
	return nil
}

// chooseWatching is choose. For the first move of a bot that goes on with a game
// it uses the player's time, at most DefaultMoveTime, to see whether somebody
// else makes the move; ok is then false, and the next status tells.
func (g *botGame) chooseWatching(ctx context.Context, p circuitwars.Position, lim limits) (d engine.Decision, ok bool) {
	if !g.unproved() {
		return g.choose(ctx, p, lim), true
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	chosen := make(chan struct{})
	go func() {
		defer close(chosen)
		d = g.choose(ctx, p, lim)
	}()
	defer func() { stop(); <-chosen }()
	until := time.Now().Add(DefaultMoveTime)
	if lim.player.Before(until) {
		until = lim.player
	}
	watching, enough := context.WithDeadline(ctx, until)
	defer enough()
	for watching.Err() == nil {
		st, _, err := g.Client.Status(watching)
		switch {
		case err == nil && (st.Code.Over() || st.Position.Drawn() != p.Drawn()):
			return engine.Decision{}, false
		case err != nil:
			_ = engine.Pause(watching, max(g.Client.Interval, 20*time.Millisecond)) // asked by the loop
		}
	}
	<-chosen
	return d, true
}
