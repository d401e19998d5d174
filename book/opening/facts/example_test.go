package facts_test

import (
	"fmt"

	"endwise/book/opening/facts"
	"endwise/engine"
	"endwise/engine/kayles"
)

// Of two pins that stand apart one move is as good as the other: they are of one
// class, which is stored once.
func ExampleNew() {
	p, err := kayles.Game{}.Start("1-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	start := p.(engine.Canonical)
	key, _ := start.CanonicalKey(nil)
	said := engine.Decision{Moves: []engine.MoveValue{{Move: p.MoveString(p.Moves()[0]), Score: -1, Proof: engine.Exact}}}
	r, err := facts.New(kayles.Game{}, string(key), start, said)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := facts.Decode(r.Append(nil))
	fmt.Println(len(start.Moves()), len(r.Classes), r.Classes[0].Leaf.Words(kayles.Game{}.ProofScale()), again.Equal(&r), err)
	// Output:
	// 2 1 a loss proved true <nil>
}
