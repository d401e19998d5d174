package cwbot

import (
	"context"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// ponder starts pondering p, in which the opponent is to move, unless p was pondered last. It first
// stops the earlier pondering, and starts the new one only if the player has returned.
func (g *botGame) ponder(ctx context.Context, p circuitwars.Position) {
	if !g.Ponder || g.stop != nil && p.Drawn() == g.pondered {
		return
	}
	g.stopPondering()
	select {
	case <-g.returned:
	default:
		return
	}
	ctx, g.stop = context.WithCancel(ctx)
	returned := make(chan struct{})
	g.returned, g.pondered = returned, p.Drawn()
	go func() {
		defer close(returned)
		if err := engine.Ponder(ctx, g.Player, p); err != nil {
			g.log.Warn("pondering failed", "cause", err)
		}
	}()
}

// stopPondering ends the last pondering, if there was one. It does not wait for the player.
func (g *botGame) stopPondering() {
	if g.stop != nil {
		g.stop()
	}
}
