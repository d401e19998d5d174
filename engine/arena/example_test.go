package arena_test

import (
	"context"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
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
	m := arena.Match{
		Hall: arena.Hall{First: start, Board: "2x2"}, Entrants: []arena.Entrant{level(3), level(1)},
		Games: 6, Seed: 1, Concurrency: 1,
	}
	pairings, err := m.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range arena.Table([]string{"level3", "level1"}, arena.Results(pairings), nil) {
		fmt.Println(s.Place, s.Team, s.Won, s.Tied, s.Lost)
	}
	// Output:
	// 1 level3 5 1 0
	// 2 level1 0 1 5
}

// Elo and expected score are two ways to say the same.
func ExampleScoreOf() {
	fmt.Printf("%.2f %.2f %.0f\n", arena.ScoreOf(0), arena.ScoreOf(100), arena.EloOf(0.75))
	// Output: 0.50 0.64 191
}
