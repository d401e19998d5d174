package circuitwars_test

import (
	"fmt"

	"endwise/engine/circuitwars"
)

// A move list is parsed; String writes the position. The fourth move captures a square for
// player 2, and the turn passes.
func ExampleParse() {
	p, err := circuitwars.Parse("1x2 0,0,top 0,0,left 0,0,bottom 0,0,right")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	fmt.Println(p.Score(), p.Turn(), p.Free().Len())
	// Output:
	// 1x2:ac:0-1:1:2.
	// [0 1] player 1 3
}
