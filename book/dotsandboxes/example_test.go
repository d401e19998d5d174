package dotsandboxes_test

import (
	"context"
	"fmt"
	"os"

	"endwise/book"
	dabbook "endwise/book/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/farm"
)

// The value of an empty board is solved job by job. Each result is written to a journal,
// from which an interrupted run resumes.
func ExampleSolveValue() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	board, err := grid.New(2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := dabbook.SolveValue(context.Background(), dir, board, book.ValueOptions{Threads: 1, TableBytes: 1 << 20}, farm.InProcess(1), nil)
	fmt.Println(v.Lower, v.Upper, err)
	// Output:
	// 2 2 <nil>
}
