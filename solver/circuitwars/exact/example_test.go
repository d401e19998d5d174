package exact_test

import (
	"context"
	"fmt"

	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/exact"
)

// The value of a position and a best move, both proved.
func ExampleSolver_Best() {
	p, err := circuitwars.Parse("2x3 0,0,top 1,1,bottom")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := exact.New(exact.Options{TableBytes: 1 << 20})
	m, r, err := s.Best(context.Background(), p.Board(), p.Free())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Exact(), r.Lower, m.Exact())
	// Output:
	// true 2 true
}
