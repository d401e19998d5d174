package tables

import (
	"fmt"

	wyb "endwise/engine/watchyourback"
)

// Layers is the number of turns on the 6x6 board. Layer r contains the values of all positions with
// r turns left before the second shrink. Layers 1..Layers are stored.
const Layers = wyb.SecondShrink - wyb.FirstShrink

// Material is the number of pieces of the side to move and of its opponent, at least two each.
type Material struct{ Own, Opp int }

// String returns, for instance, "3v2".
func (m Material) String() string { return fmt.Sprintf("%dv%d", m.Own, m.Opp) }

// Positions returns the number of ways to place the pieces on the squares of the 6x6 board.
func (m Material) Positions() int {
	return int(binomial[Squares][m.Own]) * int(binomial[Squares-m.Own][m.Opp])
}

// Materials returns the materials with up to the given number of pieces, fewest first.
func Materials(pieces int) []Material {
	var out []Material
	for n := 4; n <= pieces; n++ {
		for own := 2; own <= n-2; own++ {
			out = append(out, Material{own, n - own})
		}
	}
	return out
}
