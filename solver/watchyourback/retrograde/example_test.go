package retrograde_test

import (
	"context"
	"fmt"

	"endwise/solver/watchyourback/retrograde"
	"endwise/solver/watchyourback/tables"
)

// The first layer with two pieces each, in one part.
func Example() {
	ctx := context.Background()
	parts, err := retrograde.NewParts(4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	solver, err := retrograde.NewLayerSolver(ctx, parts, tables.NewFinal())
	if err != nil {
		fmt.Println(err)
		return
	}
	part, err := solver.Solve(ctx, 1, 0)
	fmt.Println(parts.Len(), len(part) > 0, err)
	// Output: 1 true <nil>
}
