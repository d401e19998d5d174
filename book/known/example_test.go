package known_test

import (
	"fmt"
	"testing"

	"endwise/book/known"
	"endwise/engine/kayles"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Of two pins one source likes a move, and another proves that the other wins.
func ExampleKnown() {
	p, err := kayles.Game{}.Parse("2")
	if err != nil {
		fmt.Println(err)
		return
	}
	k := known.New(p, kayles.Game{}, nil)
	moves := p.Moves()
	k.Estimate("a guess", 1, known.Guess{Move: moves[0]})
	d, _, ok := k.Decide(false)
	fmt.Println(d.Move, d.Proof, ok)
	k.Prove("the rules", known.Claim{Move: moves[len(moves)-1], Lower: 1, Upper: 1})
	d, _, ok = k.Decide(false)
	fmt.Println(d.Move, d.Proof, ok)
	// Output:
	// 1 estimate true
	// 2 exact true
}
