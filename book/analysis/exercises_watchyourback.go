package analysis

import (
	"math/rand/v2"

	"endwise/engine"
	"endwise/engine/watchyourback"
)

// SmallWatchYourBack returns a random position on the 4x4 board, White to move, 2 to 4 pieces a side.
func SmallWatchYourBack(rng *rand.Rand) engine.Position {
	for {
		rows := []byte("......../......../..X--X../..----../..----../..X--X../......../........")
		for _, piece := range []byte("O@") {
			for n := 2 + rng.IntN(3); n > 0; {
				if at := rng.IntN(len(rows)); rows[at] == '-' {
					rows[at] = piece
					n--
				}
			}
		}
		p, err := watchyourback.Parse(string(rows) + ":moving:200")
		if err == nil && !p.Over() { // otherwise a piece would be dead
			return p
		}
	}
}
