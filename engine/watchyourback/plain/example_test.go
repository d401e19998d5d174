package plain_test

import (
	"fmt"

	"endwise/engine/watchyourback/plain"
)

// The plain rules: a piece between two enemies is eliminated.
func ExampleGame_Play() {
	g := plain.EmptyBoard(0)
	for square, letter := range map[int]byte{9: plain.White, 12: plain.White, 10: plain.Black, 50: plain.Black, 53: plain.Black} {
		g.Board[square] = letter
	}
	fmt.Printf("%c moves, %d against %d\n", g.Mover(), g.Count(plain.White), g.Count(plain.Black))
	for _, m := range g.Moves() {
		if after := g.Play(m); after.Count(plain.Black) < g.Count(plain.Black) {
			fmt.Printf("one move eliminates: %d against %d\n", after.Count(plain.White), after.Count(plain.Black))
		}
	}
	// Output:
	// O moves, 2 against 3
	// one move eliminates: 2 against 2
}
