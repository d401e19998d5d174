package exact_test

import (
	"context"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
)

// The values of small empty boards of Dots and Boxes for the first player.
func ExampleSolver_Value() {
	s := exact.New(exact.Options{TableBytes: 1 << 20})
	for _, size := range []string{"1x1", "1x2", "2x2", "2x3"} {
		b, err := grid.Parse(size)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := s.Value(context.Background(), b, b.All())
		fmt.Println(size, r.Exact(), r.Lower, err)
	}
	// Output:
	// 1x1 true -1 <nil>
	// 1x2 true 0 <nil>
	// 2x2 true 2 <nil>
	// 2x3 true -2 <nil>
}

// The value of 2x3; a solver runs the null-window searches of positions after two turns.
func ExampleSplit_Value() {
	b, err := grid.Parse("2x3")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := exact.New(exact.Options{TableBytes: 1 << 20})
	x := exact.Split{Board: b, Plies: 2}
	r, err := x.Value(context.Background(), 1, func(ctx context.Context, n exact.NullWindow) (bool, error) {
		reached, _, err := s.Search(ctx, b, n)
		return reached, err
	})
	fmt.Println(r, err)
	// Output:
	// -2 <nil>
}
