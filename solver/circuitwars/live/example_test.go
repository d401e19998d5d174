package live_test

import (
	"context"
	"fmt"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/live"
)

// The search estimates; a limit of nodes, like a deadline, ends it with what the
// last complete depth says.
func ExampleCircuitWars_Search() {
	p, err := circuitwars.Parse("3x3 0,0,top 1,1,left 2,2,bottom")
	if err != nil {
		fmt.Println(err)
		return
	}
	search, err := live.NewCircuitWars(p.Board(), 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	search.NodeLimit = 20_000
	r := search.Search(context.Background(), p, time.Time{}, 0, false)
	best := r.Moves[0]
	fmt.Println(r.Depth, p.MoveString(engine.Move(best.Segment)), best.Score)
	// Output:
	// 5 1,0,top 1
}
