package main

import (
	"context"
	"errors"
	"log/slog"
	"net/url"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/wire/dabws"
)

// dotsAndBoxesAgent seats the agent at a websocket address. One connection is
// one game, as agents expect it.
func dotsAndBoxesAgent(_ programEnv, address string) (func(context.Context, arena.Seat) (engine.Player, error), error) {
	address = "ws://" + address
	if u, err := url.Parse(address); err != nil || u.Hostname() == "" {
		return nil, errors.New("want an address like ws://127.0.0.1:8089")
	}
	return func(ctx context.Context, s arena.Seat) (engine.Player, error) {
		return dabws.Join(ctx, address, s, slog.New(slog.DiscardHandler))
	}, nil
}
