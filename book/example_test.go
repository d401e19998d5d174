package book_test

import (
	"context"
	"fmt"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	"endwise/engine/circuitwars"
)

// A lookup queries the tables, the opening book, the solver and the heuristic search. Here
// there is no store, so the solver answers.
func ExampleLookup_Decide() {
	l, err := cwbook.Open(book.Options{Threads: 1, HashBytes: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	p, err := circuitwars.Parse("7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112....")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := l.Decide(context.Background(), book.Question{Position: p, AllMoves: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Move, d.Score, d.Proof, d.Source)
	for _, m := range d.Moves {
		fmt.Println(m.Move, m.Score, m.Proof)
	}
	// Output:
	// 0,4,right 6 exact solved
	// 0,4,right 6 exact
	// 0,3,bottom 6 exact
	// 0,3,left 6 exact
	// 1,4,right 4 exact
	// 2,4,right 2 exact
	// 3,4,bottom 0 exact
	// 3,5,bottom -2 exact
	// 3,6,right -4 exact
	// 5,6,right -6 exact
	// 6,6,right -6 exact
}
