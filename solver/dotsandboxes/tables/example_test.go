package tables_test

import (
	"context"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/tables"
)

// The positions of 2x2 have 73 entries; the empty board is worth two boxes.
func ExampleSolve() {
	b, err := grid.Parse("2x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := tables.Solve{Board: b, Table: tables.NewTable(100)}
	if err := s.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	k, _, err := tables.NewFinder(b).Key(b.All())
	if err != nil {
		fmt.Println(err)
		return
	}
	v, known := s.Table.Get(k)
	fmt.Println(s.Table.Len(), v, known)
	// Output:
	// 73 2 true
}
