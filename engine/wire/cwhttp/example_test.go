package cwhttp_test

import (
	"context"
	"fmt"

	"endwise/engine/levels"
	"endwise/engine/wire/cwhttp"
)

// Two players meet at a server of their own; each has a bot that asks for the
// status and sends its moves.
func ExampleMatch() {
	m := cwhttp.Match{Board: "3x3"}
	for i, level := range []int{3, 1} {
		player, err := levels.New(level, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		m.Players[i] = player
	}
	game, outcomes, err := m.Play(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcomes[0])
	fmt.Println(outcomes[1])
	fmt.Println(game.Code.Text(), len(game.Moves) == outcomes[0].Moves+outcomes[1].Moves)
	// Output:
	// won as player 1, 8-1
	// lost as player 2, 1-8
	// The game has finished, Player 1 won true
}
