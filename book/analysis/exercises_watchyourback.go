package analysis

import (
	"math/rand/v2"
	"strings"

	"endwise/engine"
	"endwise/engine/watchyourback"
)

// SmallWatchYourBack is a random position on the 4x4 board with White to move,
// for exercises: both sides have two to four pieces, and nothing is decided
// yet by the count of them.
func SmallWatchYourBack(rng *rand.Rand) engine.Position {
	for {
		squares := []int{}
		for s := range 64 {
			if watchyourback.Playable(watchyourback.Final)>>s&1 != 0 {
				squares = append(squares, s)
			}
		}
		rng.Shuffle(len(squares), func(i, j int) { squares[i], squares[j] = squares[j], squares[i] })
		letters := map[int]byte{}
		white, black := 2+rng.IntN(3), 2+rng.IntN(3)
		for i, s := range squares[:white+black] {
			letters[s] = 'O'
			if i >= white {
				letters[s] = '@'
			}
		}
		var text strings.Builder
		for s := range 64 {
			if s > 0 && s%8 == 0 {
				text.WriteByte('/')
			}
			switch c, ok := letters[s]; {
			case ok:
				text.WriteByte(c)
			case watchyourback.Corners(watchyourback.Final)>>s&1 != 0:
				text.WriteByte('X')
			case watchyourback.Squares(watchyourback.Final)>>s&1 != 0:
				text.WriteByte('-')
			default:
				text.WriteByte('.')
			}
		}
		p, err := watchyourback.Parse(text.String() + ":moving:200")
		if err == nil && !p.Over() { // otherwise a piece would be dead
			return p
		}
	}
}
