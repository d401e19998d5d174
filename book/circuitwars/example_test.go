package circuitwars_test

import (
	"context"
	"fmt"
	"os"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver/farm"
)

// A solved board is stored as a table, from which lookups then answer.
func ExampleSolveBoard() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	board, err := grid.New(1, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := cwbook.SolveBoard(context.Background(), dir, board, farm.InProcess(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Name, h.Positions)
	l, err := cwbook.Open(book.Options{Store: dir, Threads: 1, HashBytes: 1 << 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	p, err := circuitwars.Game{}.Start("1x2")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := l.Decide(context.Background(), book.Question{Position: p, AllMoves: true})
	fmt.Println(d.Score, d.Proof, d.Source, err)
	// Output:
	// circuitwars-board-1x2 127
	// 2 exact table <nil>
}
