package match_test

import (
	"context"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/match"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
)

// Two levels play six games on a small board, sides swapped in every pair.
func ExampleMatch() {
	start, err := dotsandboxes.Game{}.Start("2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	level := func(n int) arena.Entrant {
		return arena.Entrant{
			Name: fmt.Sprintf("level%d", n),
			Open: func(_ context.Context, s arena.Seat) (engine.Player, error) { return levels.New(n, s.Seed) },
		}
	}
	m := match.Match{
		Hall: arena.Hall{First: start, Board: "2x2"}, Entrants: []arena.Entrant{level(3), level(1)},
		Games: 6, Seed: 1, Concurrency: 1,
	}
	pairings, err := m.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("level3", pairings[0].Tally.All(), "level1")
	// Output: level3 +5 =1 -0 level1
}
