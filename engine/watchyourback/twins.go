package watchyourback

import (
	"math/bits"

	"endwise/engine"
)

// mirrors are the symmetries of the squares, except the identity; the first one keeps the
// zones of the placing phase.
var mirrors = [...]func(x, y int) (int, int){
	func(x, y int) (int, int) { return 7 - x, y },
	func(x, y int) (int, int) { return x, 7 - y },
	func(x, y int) (int, int) { return 7 - x, 7 - y },
	func(x, y int) (int, int) { return y, x },
	func(x, y int) (int, int) { return 7 - y, x },
	func(x, y int) (int, int) { return y, 7 - x },
	func(x, y int) (int, int) { return 7 - y, 7 - x },
}

// Twins finds moves that are equivalent by a symmetry of the position. The map contains all
// of them except the first of each group, with the first as value. exact reports whether
// equivalent moves have equal values, as on 4x4. Before the last [Shrink], which is not
// symmetric, their values may differ, and only their estimates should be equal.
func (p Position) Twins() (twins map[engine.Move]engine.Move, exact bool) {
	twins = map[engine.Move]engine.Move{}
	list := mirrors[:]
	if p.phase == Placing {
		list = list[:1]
	}
	moves := p.Moves()
	for _, mirror := range list {
		to := func(s int) int {
			x, y := mirror(s%8, s/8)
			return sq(x, y)
		}
		symmetric := true
		for _, side := range p.sides {
			for set := side; set != 0; set &= set - 1 {
				symmetric = symmetric && side>>to(bits.TrailingZeros64(set))&1 != 0
			}
		}
		for _, m := range moves {
			if !symmetric || m == Forfeit {
				continue
			}
			image := Place(to(Square(m)))
			if p.phase == Moving {
				image = Step(to(Origin(m)), to(Square(m)))
			}
			first, ok := twins[m]
			if !ok {
				first = m
			}
			if image < first {
				twins[m] = image
			}
		}
	}
	return twins, p.stage == Final
}
