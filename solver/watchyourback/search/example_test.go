package search_test

import (
	"context"
	"fmt"

	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/search"
)

// A search returns the best move with its score, and whether the score is proved.
func ExampleSearcher_Search() {
	p, err := watchyourback.Parse("X------X/--------/--O-----/--@-----/--------/--O-----/----@---/X------X:moving:10")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := search.New(1<<20, 1, nil).Search(context.Background(), p, search.Limits{Depth: 3})
	best := r.Moves[0]
	fmt.Println(p.MoveString(best.Move), best.Score, best.Proved, r.Depth)
	// Output: (2,5)->(2,4) 1 true 1
}
