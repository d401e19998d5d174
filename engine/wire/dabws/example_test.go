package dabws_test

import (
	"context"
	"fmt"
	"net"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
	"endwise/engine/wire/dabws"
)

// An agent waits at a socket; the arena has it play against a built-in level.
func Example() {
	player, err := levels.New(3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- dabws.Serve(ctx, ln, &dabws.Agent{Player: player}) }()

	first, err := dotsandboxes.Game{}.Start("2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	agent := arena.Entrant{Name: "agent", Open: func(ctx context.Context, s arena.Seat) (engine.Player, error) {
		return dabws.Join(ctx, "ws://"+ln.Addr().String(), s, nil)
	}}
	level := arena.Entrant{Name: "level", Open: func(_ context.Context, s arena.Seat) (engine.Player, error) {
		return levels.New(1, s.Seed)
	}}
	hall := arena.Hall{Rules: arena.Rules{Game: dotsandboxes.Game{}}, First: first}
	r, err := hall.Play(ctx, arena.Fixture{ID: "game", Players: [2]arena.Entrant{agent, level}})
	fmt.Println(r.End, r.Score[0]+r.Score[1], err)
	cancel()
	fmt.Println(<-served)
	// Output:
	// played 4 <nil>
	// <nil>
}
