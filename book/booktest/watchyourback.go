package booktest

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"endwise/engine/watchyourback"
)

// EmptySquare returns the index of a random empty square, '-', in a position's text. There must be one.
func EmptySquare(r *rand.Rand, rows []byte) int {
	for {
		if at := r.IntN(len(rows)); rows[at] == '-' {
			return at
		}
	}
}

// RandomWatchYourBack returns a random position on the 6x6 board after the given number of turns. The
// side to move has own pieces and the opponent opp; no piece is surrounded.
func RandomWatchYourBack(t *testing.T, r *rand.Rand, own, opp, turns int) watchyourback.Position {
	t.Helper()
	for {
		rows := []byte("......../.X----X./.------./.------./.------./.------./.X----X./........")
		letters := "O@"
		if turns%2 == 1 {
			letters = "@O"
		}
		for i, n := range [2]int{own, opp} {
			for range n {
				rows[EmptySquare(r, rows)] = letters[i]
			}
		}
		p, err := watchyourback.Parse(string(rows) + ":moving:" + strconv.Itoa(turns))
		if err == nil {
			return p
		}
	}
}
