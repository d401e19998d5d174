package kayles_test

import (
	"fmt"

	"endwise/engine/kayles"
)

// From one row of five pins the middle one leaves two equal rows, which wins.
func Example() {
	p, err := kayles.Game{}.Parse("5 3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p, p.Turn())
	for _, m := range p.Moves() {
		fmt.Print(p.MoveString(m), " ")
	}
	fmt.Println()
	// Output:
	// 5:II.II:2 player 2
	// 1 1-2 2 4 4-5 5
}
