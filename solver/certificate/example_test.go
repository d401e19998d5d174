package certificate_test

import (
	"context"
	"fmt"

	"endwise/engine/grid"
	"endwise/solver/certificate"
)

// The body of a certificate is a strategy for each side, one byte per move.
func ExampleDotsAndBoxes() {
	board, err := grid.New(2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := certificate.DotsAndBoxes(context.Background(), board, certificate.Options{HashBytes: 1 << 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Game, c.Board(), c.Value, len(c.Body))
	// Output:
	// dotsandboxes 2x2 2 103
}
