package arena_test

import (
	"context"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
)

// A game between a level and a player that does not come.
func ExampleHall_Play() {
	start, err := dotsandboxes.Game{}.Start("2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	level := arena.Entrant{Name: "level3", Open: func(_ context.Context, s arena.Seat) (engine.Player, error) { return levels.New(3, s.Seed) }}
	absent := arena.Entrant{Name: "absent", Open: func(context.Context, arena.Seat) (engine.Player, error) {
		return nil, fmt.Errorf("no program")
	}}
	hall := arena.Hall{First: start}
	r, err := hall.Play(context.Background(), arena.Fixture{ID: "game", Players: [2]arena.Entrant{level, absent}})
	fmt.Println(r.Winner, r.Fault, err)
	// Output: player 1 absent (player 2) lost by a crash at move 1: no program <nil>
}
