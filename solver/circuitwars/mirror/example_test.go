package mirror_test

import (
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/circuitwars/mirror"
)

// The half-turn of 3x5 leaves its middle square in place, so whoever moves second wins by
// one at least; on 4x4 the reflection in the diagonal leaves four.
func ExampleFinder_Fixed() {
	var f mirror.Finder
	for _, size := range []string{"3x5", "4x4"} {
		b, err := grid.Parse(size)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(f.Fixed(b, b.All()))
	}
	// Output:
	// 1 true
	// 4 true
}
