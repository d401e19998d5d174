package watchyourback_test

import (
	"fmt"

	"endwise/engine/watchyourback"
)

// A piece steps to a neighbouring square or jumps over a piece.
func ExampleParse() {
	p, err := watchyourback.Parse("......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Phase(), p.Turn(), p.Score(), len(p.Moves()))
	m, err := p.ParseMove("(4,2)->(4,4)")
	if err != nil {
		fmt.Println(err)
		return
	}
	next := p.Next(m)
	fmt.Println(next.Turn(), next.Score())
	// Output:
	// moving player 1 [3 2] 6
	// player 2 [3 2]
}
