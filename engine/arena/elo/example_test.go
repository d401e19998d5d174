package elo_test

import (
	"fmt"

	"endwise/engine/arena/elo"
)

// Elo and expected score are two ways to say the same.
func ExampleScoreOf() {
	fmt.Printf("%.2f %.2f %.0f\n", elo.ScoreOf(0), elo.ScoreOf(100), elo.Of(0.75))
	// Output: 0.50 0.64 191
}
