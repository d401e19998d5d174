package arena_test

import (
	"context"
	"fmt"
	"os"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
)

// A participant that cannot be opened loses its game.
func ExampleConfig_Play() {
	start, err := dotsandboxes.Game{}.Start("2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	level := arena.Participant{Name: "level3", Open: func(_ context.Context, s arena.Setup) (engine.Player, error) { return levels.New(3, s.Seed) }}
	absent := arena.Participant{Name: "absent", Open: func(context.Context, arena.Setup) (engine.Player, error) {
		return nil, fmt.Errorf("no program")
	}}
	config := arena.Config{First: start}
	r, err := config.Play(context.Background(), arena.Fixture{ID: "game", Players: [2]arena.Participant{level, absent}})
	fmt.Println(r.Winner, r.Fault, err)
	// Output: player 1 absent (player 2) lost before its first move: no program <nil>
}

// Two levels play six games on a small board, with the sides swapped in every pair.
func ExampleMatch() {
	start, err := dotsandboxes.Game{}.Start("2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	level := func(n int) arena.Participant {
		return arena.Participant{
			Name: fmt.Sprintf("level%d", n),
			Open: func(_ context.Context, s arena.Setup) (engine.Player, error) { return levels.New(n, s.Seed) },
		}
	}
	m := arena.Match{
		Config: arena.Config{First: start, Board: "2x2"}, Participants: []arena.Participant{level(3), level(1)},
		Games: 6, Seed: 1, Concurrency: 1,
	}
	pairings, err := m.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("level3:", pairings[0].Tally.All())
	// Output: level3: 5 won, 1 tied, 0 lost
}

// Elo difference and expected score can be converted into each other.
func ExampleScoreOf() {
	fmt.Printf("%.2f %.2f %.0f\n", arena.ScoreOf(0), arena.ScoreOf(100), arena.EloOf(0.75))
	// Output: 0.50 0.64 191
}

// The same document is written for a terminal and in Markdown.
func ExampleDocument() {
	for _, d := range []*arena.Document{arena.NewText(false, 0), arena.NewMarkdown()} {
		d.Title(arena.Heading("circuitwars", "7x7", 3000))
		d.Table(arena.Table{Head: []string{"player", "won"}, Rows: [][]string{{arena.Bold("a"), "12"}, {"b", "3"}}, Left: 1})
		d.Faults([]string{"a-b-0001: b lost by timeout"})
		if err := d.Print(os.Stdout); err != nil {
			panic(err)
		}
	}
	// Output:
	// circuitwars 7x7, 3s a move
	// player  won
	// a        12
	// b         3
	//
	// Forfeited or stopped
	// a-b-0001: b lost by timeout
	// # circuitwars 7x7, 3s a move
	// | player | won |
	// | :--- | ---: |
	// | **a** | 12 |
	// | b | 3 |
	//
	// ## Forfeited or stopped
	//
	// - `a-b-0001: b lost by timeout`
}
