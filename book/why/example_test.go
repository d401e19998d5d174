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
	// Chains of 6, 5 and 5 boxes and a loop of 4 boxes: the player who opens first loses by 4, because the opponent keeps control by leaving 2 boxes of every chain and 4 boxes of every loop except the last.
}
