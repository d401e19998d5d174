package book_test

import (
	"fmt"

	"endwise/book"
	"endwise/engine/dotsandboxes"
)

// One source prefers a move, and another proves that a different one takes both boxes.
func ExampleKnown() {
	p, err := dotsandboxes.Game{}.Parse("1x2 h0,0 h1,0 v0,0")
	if err != nil {
		fmt.Println(err)
		return
	}
	k := book.NewKnown(p, dotsandboxes.Game{}, nil)
	moves := p.Moves()
	k.Estimate("a guess", 1, book.Estimate{Move: moves[0]})
	d, _, ok := k.Decide(false)
	fmt.Println(d.Move, d.Proof, ok)
	k.Prove("the rules", book.Claim{Move: moves[2], Lower: 2, Upper: 2})
	k.Bound("the rules", -2, 2)
	d, _, ok = k.Decide(false)
	fmt.Println(d.Move, d.Proof, ok)
	// Output:
	// h0,1 estimate true
	// v0,1 exact true
}
