package watchyourback

import (
	"math/bits"

	"endwise/engine"
)

// mirrors are the symmetries of the board, except the identity. Only the first one keeps the
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

// Twins returns the moves that are equivalent to a smaller move by a symmetry of the position, each with
// the smallest equivalent move. exact reports whether such moves have equal values, which is true on the
// 4x4 board. Before the last shrink, which is not symmetric, only their estimates should be equal.
func (p Position) Twins() (twins map[engine.Move]engine.Move, exact bool) {
	twins = map[engine.Move]engine.Move{}
	list := mirrors[:]
	if p.phase == Placing {
		list = list[:1]
	}
	moves := p.Moves()
	for _, mirror := range list {
		image := func(s int) int {
			x, y := mirror(s%8, s/8)
			return sq(x, y)
		}
		if !isImageOfItself(p.sides[0], image) || !isImageOfItself(p.sides[1], image) {
			continue
		}
		for _, m := range moves {
			if m == Forfeit {
				continue
			}
			twin := Place(image(Square(m)))
			if p.phase == Moving {
				twin = Step(image(Origin(m)), image(Square(m)))
			}
			if smallest, ok := twins[m]; twin < m && (!ok || twin < smallest) {
				twins[m] = twin
			}
		}
	}
	return twins, p.stage == Final
}

// isImageOfItself reports whether a symmetry of the squares maps a set to itself.
func isImageOfItself(set uint64, image func(square int) int) bool {
	for rest := set; rest != 0; rest &= rest - 1 {
		if set>>image(bits.TrailingZeros64(rest))&1 == 0 {
			return false
		}
	}
	return true
}
