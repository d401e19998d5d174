package dotsandboxes_test

import (
	"fmt"

	"endwise/engine/dotsandboxes"
)

// A player who completes a box moves again.
func ExampleParse() {
	p, err := dotsandboxes.Parse("2x2 h0,0 h1,0 v0,0 v0,1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	fmt.Println(p.Score(), p.Turn())
	// Output:
	// 2x2 h10/10/00 v110/000 0-1 2 o2./..
	// [0 1] player 2
}
