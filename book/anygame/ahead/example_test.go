package ahead_test

import (
	"context"
	"fmt"

	"endwise/book"
	"endwise/book/anygame/ahead"
	"endwise/engine/kayles"
)

// Of two pins that stand together both are knocked down at once.
func ExampleSearch() {
	p, err := kayles.Game{}.Start("2")
	if err != nil {
		fmt.Println(err)
		return
	}
	l := book.Lookup{Game: kayles.Game{}, Sources: []book.Source{ahead.Search(kayles.Game{}, 1<<20, 0)}}
	d, err := l.Decide(context.Background(), book.Question{Position: p})
	fmt.Println(d.Move, d.Score, d.Proof, err)
	// Output:
	// 1-2 1 exact <nil>
}
