package mcts_test

import (
	"context"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/mcts"
)

// Up to symmetry, the empty 5x5 board has nine different lines.
func ExampleSearcher_Search() {
	b, err := grid.Parse("5x5")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := mcts.New(exact.New(exact.Options{TableBytes: 1 << 20}), 1)
	r := s.Search(context.Background(), b, b.All(), mcts.Options{Seed: 1, Playouts: 100})
	fmt.Println(len(r.Moves), "lines of", b.Segments(), "in", r.Playouts, "games;", r.Moves[0].Visits >= r.Moves[1].Visits)
	// Output:
	// 9 lines of 60 in 100 games; true
}
