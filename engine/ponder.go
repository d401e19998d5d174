package engine

import (
	"context"
	"fmt"
)

// Ponderer is a player that can search during the opponent's turn.
type Ponderer interface {
	// Ponder searches a position in which the opponent is to move. It returns soon after ctx ends, or
	// when nothing is left to search. It is not called concurrently with Choose for the same game.
	Ponder(ctx context.Context, p Position)
}

// Ponder calls the player's Ponder and waits for it. A panic becomes an error. If the player is not a
// [Ponderer], or if the game is over, Ponder does nothing.
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

// StartPonder calls [Ponder] in a goroutine. stop ends Ponder and waits until it has returned.
// failed, if not nil, is called with the error of Ponder.
func StartPonder(ctx context.Context, player Player, p Position, failed func(error)) (stop func()) {
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
