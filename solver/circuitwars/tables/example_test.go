package tables_test

import (
	"context"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/circuitwars/tables"
)

// BoardSolver solves all positions of a small board. V returns the value for the side to
// move of a set of free segments.
func ExampleBoardSolver() {
	b, err := grid.Parse("1x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	board, err := tables.NewBoard(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := tables.NewBoardSolver(board)
	for _, layer := range s.Layers() {
		for _, chunk := range layer {
			if _, err := s.Solve(context.Background(), chunk, func(uint64) {}); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	fmt.Println(s.Value(0), s.Value(1<<b.Segments()-1))
	// Output:
	// 0 2
}
