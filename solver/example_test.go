package solver_test

import (
	"fmt"

	"endwise/solver"
)

// A value is found by questions whether it is at least so much, each of which is
// cheap. The first goes near the guess; every answer tightens the bounds.
func ExampleBounds_Narrow() {
	const value = 3
	asked := 0
	atLeast := func(t int) (bound int, ok bool) {
		asked++
		if value >= t {
			return t, true // it is at least that
		}
		return t - 2, true // values have one parity
	}
	b := solver.Bounds{Lower: -9, Upper: 9}
	fmt.Println(b, b.Exact())
	b = b.Narrow(1, atLeast, nil)
	fmt.Println(b, b.Exact(), asked)
	// A search that is stopped leaves what it has proved.
	stopped := func(t int) (int, bool) { return 0, false }
	fmt.Println(solver.Bounds{Lower: 1, Upper: 5}.Narrow(3, stopped, nil))
	// Output:
	// -9 to +9 false
	// +3 true 3
	// +1 to +5
}
