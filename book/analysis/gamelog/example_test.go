package gamelog_test

import (
	"fmt"

	"endwise/book/analysis/gamelog"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// The plain format: a head, an empty line, a move a line.
func ExampleRead() {
	r, err := gamelog.Read("class.txt", []byte(`game: dotsandboxes
start: 1x1
player_1: Ann
player_2: Bo

h0,0
h1,0
v0,0
v0,1
`), gamelog.Plain(dotsandboxes.Game{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	end := r.Positions[len(r.Positions)-1]
	fmt.Println(r.Players, len(r.Moves), end.Score(), engine.Winner(end))
	// Output:
	// [Ann Bo] 4 [0 1] player 2
}
