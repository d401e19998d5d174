package opening_test

import (
	"context"
	"fmt"

	"endwise/book/opening"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// A book grows along the lines with the smallest loss; here every move is estimated as 0.
func ExampleBook_Grow() {
	b, err := opening.New(dotsandboxes.Game{}, "2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	even := func(_ context.Context, p engine.Position) (engine.Decision, error) {
		d := engine.Decision{Move: p.MoveString(p.Moves()[0]), Proof: engine.Estimate, Source: "search"}
		for _, m := range p.Moves() {
			d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(m), Proof: engine.Estimate})
		}
		return d, nil
	}
	progress, err := b.Grow(context.Background(), opening.GrowOptions{Nodes: 5, Evaluators: []opening.Evaluator{even}})
	fmt.Println(b.Len(), progress.Nodes, err)
	// Output:
	// 5 5 <nil>
}

// A move that wins two squares and passes the turn is worth two minus the value of the
// opponent's position after it.
func ExampleValue_Through() {
	origin := opening.Value{Lo: -3, Hi: opening.Unbounded, Est: 1}
	move := origin.Through(2, true)
	fmt.Println(origin.Words(1))
	fmt.Println(move.Words(1), move)
	// Output:
	// about +1, at least -3 proved
	// about +1, at most +5 proved 1?<=5
}
