package dotsandboxes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/wire/dabws"
)

// openAgent opens agents at a websocket address, given without ws://, with one connection per game. Before
// the first game it checks that the agent can be reached.
func openAgent(env cli.ProgramEnv, address string) (cli.OpenPlayer, error) {
	address = "ws://" + address
	if u, err := url.Parse(address); err != nil || u.Hostname() == "" {
		return nil, errors.New("want an address like ws://127.0.0.1:8089")
	}
	env.Before(func(ctx context.Context, _ arena.Setup) error {
		return dabws.Reach(ctx, address, func(limit time.Duration) {
			fmt.Fprintf(env.Notices, "waiting up to %v for the agent of %s at %s\n", limit, env.Name, address)
		})
	})
	return func(ctx context.Context, s arena.Setup) (engine.Player, error) {
		return dabws.Join(ctx, address, s, slog.New(slog.DiscardHandler))
	}, nil
}
