package graph_test

import (
	"fmt"

	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/graph"
)

// Different endings with components of the same types have the same key and value.
func ExampleKeyOf() {
	var labeler graph.Labeler
	for _, moves := range []string{"1x3 0,0,top 2,0,bottom", "1x3 2,0,top 0,0,bottom"} {
		p, err := circuitwars.Parse(moves)
		if err != nil {
			fmt.Println(err)
			return
		}
		components, err := graph.Components(p.Board(), p.Free())
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range components {
			fmt.Println(len(c.Vertices), "squares", graph.KeyOf(labeler.Label(c.Code)))
		}
	}
	// Output:
	// 3 squares {6467961061282858249 5487302294318046154}
	// 3 squares {6467961061282858249 5487302294318046154}
}

// The half-turn of 3x5 fixes its middle square, so the second player wins by at least one.
// On 4x4 the reflection in the diagonal fixes four squares.
func ExampleMirrorFinder_Fixed() {
	var f graph.MirrorFinder
	for _, size := range []string{"3x5", "4x4"} {
		b, err := grid.Parse(size)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(f.Fixed(b, b.All()))
	}
	// Output:
	// 1 true
	// 4 true
}
