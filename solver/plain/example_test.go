package plain_test

import (
	"fmt"

	"endwise/solver/plain"
)

// The value of a position of Circuit Wars and of its moves, by minimax: two squares in a
// row, open to the left and between.
func ExampleCircuitWars_Solve() {
	a, err := new(plain.CircuitWars).Solve("1x2:f2:0-0:1")
	fmt.Println(a.Value, a.Moves, err)
	// Output:
	// 2 map[0,0,left:2 0,0,right:0] <nil>
}
