package levels_test

import (
	"context"
	"fmt"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
)

// A level plays every game. The same seed gives the same moves.
func ExampleNew() {
	p, err := dotsandboxes.Parse("2x2 h0,0 h1,0 v0,0")
	if err != nil {
		fmt.Println(err)
		return
	}
	greedy, err := levels.New(2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := greedy.Choose(context.Background(), p, engine.Clock{})
	fmt.Println(greedy.Name(), d.Move, d.Proof, err)
	// Output:
	// level2 v0,1 estimate <nil>
}
