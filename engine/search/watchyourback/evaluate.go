package watchyourback

import (
	"math/bits"

	wyb "endwise/engine/watchyourback"
)

// Scores are in hundredths of a piece for the side to move. Results are far
// outside what an evaluation reaches: a win found by playing to the end is
// winScore minus the plies to it, a win taken from a table without distance
// is tableScore minus the plies to the probe.
const (
	winScore   = 1_000_000
	tableScore = 500_000
	decided    = 400_000 // scores beyond it are proved results
	infinity   = 2_000_000
)

// pieceValue is what a piece is worth.
const pieceValue = 100

// ringWorth is the worth of a square by its distance from the border, 0 to 3,
// while no shrink is near: the centre survives both shrinks, has most
// neighbours to attack and is out of the corners' reach.
var ringWorth = [4]int{-8, 2, 9, 12}

// horizon is how many turns before a shrink the squares that vanish begin to
// lose their worth.
const horizon = 28

var (
	ring [4]uint64 // squares by distance from the border of the 8x8 board
	// doomed are the squares that a shrink to a stage takes away, its new
	// corners included; exposed are the squares beside the new corners,
	// where a shrink kills a piece with an enemy on its far side.
	doomed, exposed [3]uint64
)

func init() {
	for y := range 8 {
		for x := range 8 {
			ring[min(x, y, 7-x, 7-y)] |= 1 << (8*y + x)
		}
	}
	for _, s := range [2]wyb.Stage{wyb.Middle, wyb.Final} {
		doomed[s] = wyb.Playable(s-1) &^ wyb.Playable(s)
		for c := wyb.Corners(s); c != 0; c &= c - 1 {
			exposed[s] |= wyb.Neighbours(bits.TrailingZeros64(c)) & wyb.Playable(s)
		}
	}
}

// evaluate estimates a position for the side to move. toShrink counts the
// turns to the next shrink.
//
// A piece on a square that is about to vanish loses its value step by step
// over the last horizon turns, so the search brings pieces inside in time and
// does not chase material on the rim.
func evaluate(own, opp uint64, stage wyb.Stage, toShrink int) int {
	score := pieceValue * (bits.OnesCount64(own) - bits.OnesCount64(opp))
	for i, r := range ring {
		score += ringWorth[i] * (bits.OnesCount64(own&r) - bits.OnesCount64(opp&r))
	}
	if stage < wyb.Final && toShrink < horizon {
		d, e := doomed[stage+1], exposed[stage+1]
		near := horizon - toShrink
		score -= 75 * near / horizon * (bits.OnesCount64(own&d) - bits.OnesCount64(opp&d))
		score -= 10 * near / horizon * (bits.OnesCount64(own&e) - bits.OnesCount64(opp&e))
	}
	// Freedom: squares next to one's pieces that are free.
	free := wyb.Playable(stage) &^ (own | opp)
	score += 2 * (bits.OnesCount64(spread(own)&free) - bits.OnesCount64(spread(opp)&free))
	return score
}

// spread is the set of all squares beside a set.
func spread(s uint64) uint64 {
	const notLeft, notRight = 0xfefefefefefefefe, 0x7f7f7f7f7f7f7f7f
	return s<<8 | s>>8 | s<<1&notLeft | s>>1&notRight
}
