package negamax_test

import (
	"context"
	"fmt"

	"endwise/engine"
	"endwise/engine/kayles"
	"endwise/solver/negamax"
)

// Which first moves win a game of Kayles with a row of five pins: the one that
// leaves two equal rows. The solver knows the game by its rules alone.
func ExampleSolver_Moves() {
	p, err := kayles.Game{}.Start("5")
	if err != nil {
		fmt.Println(err)
		return
	}
	moves, complete, _, err := negamax.New(1<<20).Moves(context.Background(), p.(engine.Canonical), true)
	if err != nil || !complete {
		fmt.Println(err)
		return
	}
	for _, m := range moves {
		if m.Value > 0 {
			fmt.Println(p.MoveString(m.Move), m.Value)
		}
	}
	// Output:
	// 3 1
}
