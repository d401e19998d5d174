package dotsandboxes

import (
	"context"
	"errors"
	"log/slog"
	"net/url"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/wire/dabws"
)

// openAgent opens the agent at a websocket address as a player. A connection carries one
// game, as agents expect.
func openAgent(env cli.ProgramEnv, address string) (func(context.Context, arena.Setup) (engine.Player, error), error) {
	address = "ws://" + address
	if u, err := url.Parse(address); err != nil || u.Hostname() == "" {
		return nil, errors.New("want an address like ws://127.0.0.1:8089")
	}
	env.Before(func(ctx context.Context) error { return dabws.Reach(ctx, address) })
	return func(ctx context.Context, s arena.Setup) (engine.Player, error) {
		return dabws.Join(ctx, address, s, slog.New(slog.DiscardHandler))
	}, nil
}
