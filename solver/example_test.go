package solver_test

import (
	"fmt"

	"endwise/solver"
)

// Narrow calls atLeast with thresholds, the first near the estimate, until the bounds meet.
func ExampleBounds_Narrow() {
	const value = 3
	calls := 0
	atLeast := func(t int) (bound int, ok bool) {
		calls++
		if value >= t {
			return t, true
		}
		return t - 2, true // all values have the same parity
	}
	b := solver.Bounds{Lower: -9, Upper: 9}
	fmt.Println(b, b.Exact())
	b = b.Narrow(1, atLeast, nil)
	fmt.Println(b, b.Exact(), calls)
	// If a search is stopped, Narrow returns the bounds proved so far.
	stopped := func(t int) (int, bool) { return 0, false }
	fmt.Println(solver.Bounds{Lower: 1, Upper: 5}.Narrow(3, stopped, nil))
	// Output:
	// -9 to +9 false
	// +3 true 3
	// +1 to +5
}
