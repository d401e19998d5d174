package why_test

import (
	"context"
	"fmt"

	"endwise/book/why"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// Three chains and a loop are left, and every line opens one of them.
func ExamplePosition() {
	p, err := dotsandboxes.Parse("4x5 h11111/11111/11111/00010/11001 v000000/000000/101001/101101 0-0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	reasons, err := why.Position(context.Background(), p, engine.Decision{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range reasons {
		fmt.Println(r.Kind, r.Numbers)
		fmt.Println(r.Text)
	}
	// Output:
	// loony map[controlled:4 value:-4]
	// Only chains of 6, 5 and 5 boxes and a loop of 4 boxes are left: the player who opens the first gets 4 boxes fewer than the opponent. Except in the last one, the opponent leaves 2 boxes of each chain and 4 boxes of each loop, so that the same player has to open the next one too.
}
