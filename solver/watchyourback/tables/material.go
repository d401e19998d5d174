package tables

import (
	"fmt"

	wyb "endwise/engine/watchyourback"
)

// Planes is how many turns the 6x6 board lasts: plane r holds the values with
// r turns left to the second shrink, r = 1..Planes. Plane 0, right before the
// shrink, only seeds the others.
const Planes = wyb.SecondShrink - wyb.FirstShrink

// Material is how many pieces the side to move and its opponent have, at
// least two each.
type Material struct{ Own, Opp int }

// String returns for instance "3v2".
func (m Material) String() string { return fmt.Sprintf("%dv%d", m.Own, m.Opp) }

// Positions is the number of ways to put the pieces on the 32 squares.
func (m Material) Positions() int {
	return int(binomial[Squares][m.Own]) * int(binomial[Squares-m.Own][m.Opp])
}

// Materials lists what a table of at most pieces pieces holds, small first.
func Materials(pieces int) []Material {
	var out []Material
	for n := 4; n <= pieces; n++ {
		for own := 2; own <= n-2; own++ {
			out = append(out, Material{own, n - own})
		}
	}
	return out
}
