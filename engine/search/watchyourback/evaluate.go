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

// What things are worth, by stage (8x8, 6x6). Only twelve squares are left in
// the end, so being on them counts from the first move on; the last rows lose
// their worth step by step before the shrink that takes them. Without the
// first a deeper search lost to a shallow one that only sought the centre:
// both kept all their pieces and one had the better half of them outside at
// turn 192.
const (
	pieceWorth   = 100
	freedomWorth = 2   // a free square beside one's pieces
	rimWorth     = -10 // a square that the first shrink takes
	rimInside    = 2   // a square of 6x6 that the second takes, while 8x8
	cornerWorth  = 12  // a corner-to-be of 4x4, while 8x8
)

var (
	coreWorth = [2]int{24, 30} // a square of 4x4
	// In the last turns before a shrink a square of 4x4 gains coreGain and a
	// doomed one loses doomedLoss, by equal steps.
	coreGain   = [2]int{10, 50}
	doomedLoss = [2]int{70, 40}
	lastTurns  = [2]int{28, 40}
)

// Squares of the 8x8 board: the twelve of the last board, its four corners,
// the rest of 6x6, and what the first shrink takes.
var (
	core   = wyb.Playable(wyb.Final)
	corner = wyb.Corners(wyb.Final)
	inside = wyb.Playable(wyb.Middle) &^ (core | corner)
	rim    = wyb.Playable(wyb.Full) &^ wyb.Playable(wyb.Middle)
)

// evaluate estimates a position for the side to move. toShrink counts the
// turns to the next shrink; it does not matter on the 4x4 board.
func evaluate(own, opp uint64, stage wyb.Stage, toShrink int) int {
	ahead := func(set uint64) int { return bits.OnesCount64(own&set) - bits.OnesCount64(opp&set) }
	score := pieceWorth * (bits.OnesCount64(own) - bits.OnesCount64(opp))
	free := wyb.Playable(stage) &^ (own | opp)
	score += freedomWorth * (bits.OnesCount64(spread(own)&free) - bits.OnesCount64(spread(opp)&free))
	if stage == wyb.Final {
		return score
	}
	near := max(0, lastTurns[stage]-toShrink)
	loss := doomedLoss[stage] * near / lastTurns[stage]
	score += (coreWorth[stage] + coreGain[stage]*near/lastTurns[stage]) * ahead(core)
	if stage == wyb.Full {
		score += cornerWorth*ahead(corner) + rimInside*ahead(inside) + (rimWorth-loss)*ahead(rim)
	} else {
		score -= loss * ahead(corner|inside)
	}
	return score
}

// spread is the set of all squares beside a set.
func spread(s uint64) uint64 {
	const notLeft, notRight = 0xfefefefefefefefe, 0x7f7f7f7f7f7f7f7f
	return s<<8 | s>>8 | s<<1&notLeft | s>>1&notRight
}
