package anygame_test

import (
	"context"
	"fmt"

	"endwise/book"
	"endwise/book/anygame"
	"endwise/engine/kayles"
)

// The rules of a game are enough for proved answers.
func ExampleFromRules() {
	game := anygame.FromRules(kayles.Game{})
	l, err := game.Open(book.Options{Threads: 1, HashBytes: 1 << 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	p, err := game.Start("5")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := l.Decide(context.Background(), book.Question{Position: p})
	fmt.Println(d.Score, d.Proof, d.Source, err)
	// Output:
	// 1 exact solved <nil>
}
