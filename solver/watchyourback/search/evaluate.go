package search

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

// Evaluation is what things are worth, in hundredths of a piece. Its terms can
// be switched off, so that a match can say what each of them is good for (see
// the book package's tests).
type Evaluation struct {
	Freedom int // a free square beside one's pieces
	Threat  int // a square on which one could take a piece if it were one's turn
	// Only twelve squares are left in the end, so being on them counts from
	// the first move on. Without it a deeper search lost to a shallow one that
	// only sought the centre: both kept all their pieces and one had the better
	// half of them outside at turn 192.
	Core [2]int // a square of 4x4, while the board is 8x8 and 6x6
	// In the last turns before a shrink a square of 4x4 gains CoreGain and one
	// that the shrink takes loses DoomedLoss, by equal steps.
	CoreGain, DoomedLoss, LastTurns [2]int
}

// Usual is the evaluation that a new Searcher has.
var Usual = Evaluation{
	Freedom: 2, Threat: 10,
	Core:     [2]int{24, 30},
	CoreGain: [2]int{10, 50}, DoomedLoss: [2]int{70, 40}, LastTurns: [2]int{28, 40},
}

// pieceWorth is what a piece is worth, the unit of an Evaluation.
const pieceWorth = 100

// The twelve squares of the last board, and by stage (8x8, 6x6) what the next
// shrink takes.
var (
	core   = wyb.Playable(wyb.Final)
	doomed = [2]uint64{
		wyb.Playable(wyb.Full) &^ wyb.Playable(wyb.Middle),
		wyb.Playable(wyb.Middle) &^ wyb.Playable(wyb.Final),
	}
)

// evaluate estimates a position for the side to move. toShrink counts the
// turns to the next shrink; it does not matter on the 4x4 board.
func (e *Evaluation) evaluate(own, opp uint64, stage wyb.Stage, toShrink int) int {
	ahead := func(set uint64) int { return bits.OnesCount64(own&set) - bits.OnesCount64(opp&set) }
	score := pieceWorth * (bits.OnesCount64(own) - bits.OnesCount64(opp))
	free := wyb.Playable(stage) &^ (own | opp)
	score += e.Freedom * (bits.OnesCount64(spread(own)&free) - bits.OnesCount64(spread(opp)&free))
	score += e.Threat * (bits.OnesCount64(captureSquares(own, opp, stage)) - bits.OnesCount64(captureSquares(opp, own, stage)))
	if stage == wyb.Final {
		return score
	}
	near := max(0, e.LastTurns[stage]-toShrink)
	score += (e.Core[stage] + e.CoreGain[stage]*near/e.LastTurns[stage]) * ahead(core)
	score -= e.DoomedLoss[stage] * near / e.LastTurns[stage] * ahead(doomed[stage])
	return score
}

// spread is the set of all squares beside a set.
func spread(s uint64) uint64 {
	return s<<8 | s>>8 | s<<1&notLeft | s>>1&notRight
}
