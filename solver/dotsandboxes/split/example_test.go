package split_test

import (
	"context"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/split"
)

// The value of 2x3, every question about a position after two turns answered by a solver.
func ExampleSearch_Value() {
	b, err := grid.Parse("2x3")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := exact.New(exact.Options{TableBytes: 1 << 20})
	x := split.Search{Board: b, Plies: 2}
	r, err := x.Value(context.Background(), 1, func(ctx context.Context, q exact.Question) (bool, error) {
		yes, _, err := s.Answer(ctx, b, q)
		return yes, err
	})
	fmt.Println(r, err)
	// Output:
	// -2 <nil>
}
