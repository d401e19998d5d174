package dabws_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
	"endwise/engine/wire/dabws"
)

// An agent on a socket plays against a built-in level.
func Example() {
	player, err := levels.New(3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(&dabws.Agent{Player: player})
	defer server.Close()
	first, err := dotsandboxes.Game{}.Start("2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	agent := arena.Participant{Name: "agent", Open: func(ctx context.Context, s arena.Setup) (engine.Player, error) {
		return dabws.Join(ctx, "ws"+strings.TrimPrefix(server.URL, "http"), s, nil)
	}}
	level := arena.Participant{Name: "level", Open: func(_ context.Context, s arena.Setup) (engine.Player, error) {
		return levels.New(1, s.Seed)
	}}
	config := arena.Config{Rules: arena.Rules{Game: dotsandboxes.Game{}}, First: first}
	r, err := config.Play(context.Background(), arena.Fixture{ID: "game", Players: [2]arena.Participant{agent, level}})
	fmt.Println(r.End, r.Score[0]+r.Score[1], err)
	// Output:
	// played 4 <nil>
}
