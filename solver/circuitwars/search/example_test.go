package search_test

import (
	"context"
	"fmt"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/search"
)

// A limit of nodes, like a deadline, ends the search with the result of the last completed
// depth.
func ExampleSearcher_Search() {
	p, err := circuitwars.Parse("3x3 0,0,top 1,1,left 2,2,bottom")
	if err != nil {
		fmt.Println(err)
		return
	}
	searcher, err := search.New(p.Board(), 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	searcher.NodeLimit = 20_000
	r := searcher.Search(context.Background(), p, time.Time{}, 0, false)
	best := r.Moves[0]
	fmt.Println(r.Depth, p.MoveString(engine.Move(best.Segment)), best.Score)
	// Output:
	// 5 1,0,top 1
}
