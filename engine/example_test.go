package engine_test

import (
	"fmt"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// Every game has the same few methods: a position is a value, and a move is a number that
// the position reads and writes.
func Example() {
	var game engine.Game = dotsandboxes.Game{}
	p, err := game.Parse("1x2 h0,0 h1,0 v0,0")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range p.Moves() {
		next, err := p.Play(m)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.MoveString(m), next.Score(), next.Turn(), next.Over())
	}
	_, err = p.ParseMove("h0,0")
	fmt.Println(err)
	// Output:
	// h0,1 [0 0] player 1 false
	// h1,1 [0 0] player 1 false
	// v0,1 [0 1] player 2 false
	// v0,2 [0 0] player 1 false
	// illegal move: line h0,0 is drawn already
}
