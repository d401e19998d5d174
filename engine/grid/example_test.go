package grid_test

import (
	"fmt"

	"endwise/engine/grid"
)

// Squares and segments are numbered; an inner segment has two names.
func Example() {
	b, err := grid.Parse("2x3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b, b.Squares(), b.Segments(), len(b.Symmetries()))
	s, err := b.Segment(1, 0, grid.Bottom)
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := b.Segment(1, 1, grid.Top)
	fmt.Println(s == t, err)
	free := b.All()
	fmt.Println(free.Len(), free.Has(s))
	// Output:
	// 2x3 6 17 4
	// true <nil>
	// 17 true
}
