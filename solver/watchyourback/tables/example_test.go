package tables_test

import (
	"fmt"

	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/tables"
)

// NewFinal solves the 4x4 board. Probe returns the value and the number of turns to the end,
// for the side to move.
func ExampleFinal_Probe() {
	p, err := watchyourback.Parse("......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192")
	if err != nil {
		fmt.Println(err)
		return
	}
	white, black := p.Sides()
	fmt.Println(tables.NewFinal().Probe(white, black))
	// Output:
	// 1 5 true
}
