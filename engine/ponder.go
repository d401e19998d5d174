package engine

import (
	"context"
	"fmt"
)

// Ponderer is a player that can use the opponent's time.
type Ponderer interface {
	// Ponder thinks about a position in which the opponent is to move, to know
	// more when asked about one of those after it. It returns soon after the
	// context has ended, or when there is nothing left to think about. It is
	// never called at the same time as Choose for the same game.
	Ponder(ctx context.Context, p Position)
}

// Ponder lets a player think in the opponent's time, and returns when it has.
// The error says that it panicked. A player that is no Ponderer does nothing.
func Ponder(ctx context.Context, player Player, p Position) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic while the opponent was thinking: %v", v)
		}
	}()
	if player, ok := player.(Ponderer); ok && !p.Over() {
		player.Ponder(ctx, p)
	}
	return nil
}

// PonderBeside is Ponder in a goroutine of its own, with a way to end it: stop
// returns when the player has. failed, if not nil, hears the error, if any.
func PonderBeside(ctx context.Context, player Player, p Position, failed func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		if err := Ponder(ctx, player, p); err != nil && failed != nil {
			failed(err)
		}
	}()
	return func() {
		cancel()
		<-returned
	}
}
