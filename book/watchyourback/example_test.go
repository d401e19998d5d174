package watchyourback_test

import (
	"context"
	"fmt"

	"endwise/book"
	wybbook "endwise/book/watchyourback"
	"endwise/engine/watchyourback"
)

// After the second shrink every position is solved, without a store.
func ExampleOpen() {
	l, err := wybbook.Open(book.Options{Threads: 1, HashBytes: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	p, err := watchyourback.Game{}.Parse("......../......../..XO-X../..-O@-../..--@-../..X--X../......../........:moving:192")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := l.Decide(context.Background(), book.Question{Position: p})
	fmt.Println(d.Move, d.Score, d.Proof, d.Source, d.Distance, err)
	// Output:
	// (3,2)->(3,4) 1 exact table 3 <nil>
}
