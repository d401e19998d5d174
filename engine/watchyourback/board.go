// Package watchyourback implements the rules of Watch Your Back: placing, moving, jumping,
// elimination, shrinking, and the end of the game. board.go contains the rules as functions on
// bitboards, which solvers and searches call directly.
//
// Square (x, y), x from the left and y from the top, is bit 8*y+x of a uint64; a side is
// the set of its squares. A shrink does not change coordinates.
//
//	X------X     ........     ........     X corner
//	--------     .X----X.     ........     - playable
//	--------     .------.     ..X--X..     . removed
//	--------     .------.     ..----..
//	--------     .------.     ..----..
//	--------     .------.     ..X--X..
//	--------     .X----X.     ........
//	X------X     ........     ........
//	  Full        Middle       Final
//
// Pieces are never on corners or removed squares, and never two on one square. A piece is
// surrounded if it has an enemy or corner on both sides in its row or in its column. After every
// turn no piece is surrounded.
package watchyourback

import (
	"math/bits"

	"endwise/engine"
)

// Stage is the number of shrinks so far.
type Stage uint8

// The stages.
const (
	Full   Stage = iota
	Middle       // after moving turn FirstShrink
	Final        // after moving turn SecondShrink
)

// Numbers of turns and pieces.
const (
	PlacingTurns = 24 // turns of the placing phase for both sides together
	// FirstShrink and SecondShrink are the moving turns after which the board loses its outer ring.
	FirstShrink, SecondShrink = 128, 192
	// QuietLimit is the number of turns without an elimination on the 4x4 board that
	// makes a tie. This is an extension of the rules, disabled in strict mode.
	QuietLimit = 100
	MaxPieces  = PlacingTurns / 2 // of one side
)

// stageAfter returns the stage after the given number of turns of a phase. It does not apply to a game
// won on turn FirstShrink or SecondShrink, which ends on the larger board.
func stageAfter(phase Phase, turns int) Stage {
	switch {
	case phase == Placing || turns < FirstShrink:
		return Full
	case turns < SecondShrink:
		return Middle
	}
	return Final
}

// Side returns the side length of the board: 8, 6 or 4.
func (s Stage) Side() int { return 8 - 2*int(s) }

// cornerOrder contains the corners of each stage in the order in which a shrink sets them.
var cornerOrder = [3][4]int{
	{sq(0, 0), sq(0, 7), sq(7, 7), sq(7, 0)},
	{sq(1, 1), sq(1, 6), sq(6, 6), sq(6, 1)},
	{sq(2, 2), sq(2, 5), sq(5, 5), sq(5, 2)},
}

var (
	onBoard  [3]uint64 // corners included
	corners  [3]uint64
	playable [3]uint64 // onBoard without the corners
	// next[s][d] is the square one step from s in direction d, as a bit, beyond[s][d] the square two
	// steps away; 0 if it is off the 8x8 board. The directions d and d^2 are opposite.
	next, beyond [64][4]uint64
	// zone contains White's and Black's zones: rows 0-5 and rows 2-7, without the corners.
	zone = [2]uint64{1<<48 - 1, 1<<64 - 1<<16}
)

func sq(x, y int) int { return 8*y + x }

func init() {
	for s := range 3 {
		for y := s; y < 8-s; y++ {
			for x := s; x < 8-s; x++ {
				onBoard[s] |= 1 << sq(x, y)
			}
		}
		for _, c := range cornerOrder[s] {
			corners[s] |= 1 << c
		}
		playable[s] = onBoard[s] &^ corners[s]
	}
	for i := range zone {
		zone[i] &= playable[Full]
	}
	step := [4][2]int{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}
	at := func(x, y int) uint64 {
		if x < 0 || x > 7 || y < 0 || y > 7 {
			return 0
		}
		return 1 << sq(x, y)
	}
	for y := range 8 {
		for x := range 8 {
			for d, v := range step {
				next[sq(x, y)][d] = at(x+v[0], y+v[1])
				beyond[sq(x, y)][d] = at(x+2*v[0], y+2*v[1])
			}
		}
	}
}

func Corners(s Stage) uint64 { return corners[s] }

// Playable returns the squares on which a piece can stand on the board of stage s.
func Playable(s Stage) uint64 { return playable[s] }

// Zone returns the squares on which side, First or Second, can place pieces.
func Zone(side engine.Side) uint64 { return zone[side-1] }

// Enter returns both sides after a piece of own has entered square. own must contain square and must not
// contain the square that the piece has left. First, every enemy next to square with a piece of own or a
// corner on its opposite side is eliminated. Then the entering piece is eliminated if it is surrounded.
func Enter(own, opp uint64, square int, s Stage) (uint64, uint64) {
	near, far := &next[square], &beyond[square]
	corner := corners[s]
	friend := own | corner // helps own to eliminate
	var dead uint64
	for d := range 4 {
		if near[d]&opp != 0 && far[d]&friend != 0 {
			dead |= near[d]
		}
	}
	opp &^= dead
	hostile := opp | corner
	if near[0]&hostile != 0 && near[2]&hostile != 0 || near[1]&hostile != 0 && near[3]&hostile != 0 {
		own &^= 1 << square
	}
	return own, opp
}

// Shrink returns both sides after a shrink to the board of stage to (Middle or Final). The pieces
// on the outer ring are removed first. Then each new corner, in the order of cornerOrder, removes
// the piece on it and eliminates every piece next to it with an enemy or corner on the opposite
// side. Because of this order, a symmetry of the board does not commute with a shrink.
func Shrink(a, b uint64, to Stage) (uint64, uint64) {
	a &= onBoard[to]
	b &= onBoard[to]
	var corner uint64 // the corners set so far
	for _, c := range cornerOrder[to] {
		bit := uint64(1) << c
		corner |= bit
		a &^= bit
		b &^= bit
		for d := range 4 {
			n, far := next[c][d], beyond[c][d]
			switch {
			case n&a != 0 && far&(b|corner) != 0:
				a &^= n
			case n&b != 0 && far&(a|corner) != 0:
				b &^= n
			}
		}
	}
	return a, b
}

// AppendSteps appends the steps and jumps of own to list, ordered by origin, then up,
// right, down, left. It appends nothing if own is blocked.
func AppendSteps(list []engine.Move, own, opp uint64, s Stage) []engine.Move {
	taken := own | opp
	free := playable[s] &^ taken
	for pieces := own; pieces != 0; pieces &= pieces - 1 {
		from := bits.TrailingZeros64(pieces)
		near, far := &next[from], &beyond[from]
		for d := range 4 {
			switch {
			case near[d]&free != 0:
				list = append(list, Step(from, bits.TrailingZeros64(near[d])))
			case near[d]&taken != 0 && far[d]&free != 0:
				list = append(list, Step(from, bits.TrailingZeros64(far[d])))
			}
		}
	}
	return list
}

// Into returns the pieces of own that can step or jump to square, which must be empty.
func Into(own, opp uint64, square int) uint64 {
	taken := own | opp
	near, far := &next[square], &beyond[square]
	var from uint64
	for d := range 4 {
		from |= near[d] & own
		if near[d]&taken != 0 {
			from |= far[d] & own
		}
	}
	return from
}

// Blocked reports whether own has no step and no jump.
func Blocked(own, opp uint64, s Stage) bool {
	for free := playable[s] &^ (own | opp); free != 0; free &= free - 1 {
		if Into(own, opp, bits.TrailingZeros64(free)) != 0 {
			return false
		}
	}
	return true
}

// Result reports whether a side has fewer than two pieces, which ends the game in the moving phase.
// value is the result for own: 1 for a win, -1 for a loss, 0 for a tie or if the game is not over.
func Result(own, opp uint64) (value int, over bool) {
	few, oppFew := own&(own-1) == 0, opp&(opp-1) == 0
	switch {
	case few && oppFew:
		return 0, true
	case few:
		return -1, true
	case oppFew:
		return 1, true
	}
	return 0, false
}

// MoveStep returns both sides after the legal step or jump m of own.
func MoveStep(own, opp uint64, m engine.Move, s Stage) (uint64, uint64) {
	to := Square(m)
	return Enter(own&^(1<<Origin(m))|1<<to, opp, to, s)
}

// Surrounded returns the surrounded pieces, of which there are none after a turn of a game.
func Surrounded(a, b uint64, s Stage) uint64 {
	var out uint64
	for _, side := range [2][2]uint64{{a, b}, {b, a}} {
		hostile := side[1] | corners[s]
		for w := side[0]; w != 0; w &= w - 1 {
			f := bits.TrailingZeros64(w)
			n := &next[f]
			if n[0]&hostile != 0 && n[2]&hostile != 0 || n[1]&hostile != 0 && n[3]&hostile != 0 {
				out |= 1 << f
			}
		}
	}
	return out
}
