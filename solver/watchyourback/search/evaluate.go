package search

import (
	"math/bits"

	wyb "endwise/engine/watchyourback"
)

// Scores are in hundredths of a piece for the side to move. Scores of results exceed those
// of any evaluation: a win at the end of a line is winScore minus the number of plies to it,
// a win in a table without distance tableScore minus the plies to the probe.
const (
	winScore   = 1_000_000
	tableScore = 500_000
	decided    = 400_000 // greater scores are proved results
	infinity   = 2_000_000
)

// Evaluation contains the weights of the static evaluation, in hundredths of a piece. Tests
// of package book compare settings in matches.
type Evaluation struct {
	Freedom int // a free square next to own pieces
	Threat  int // a square on which a piece would capture
	// Only the twelve squares of the 4x4 board remain in the end, so occupying them counts
	// from the first move.
	Core [2]int // a piece on a square of the 4x4 board, by stage
	// In the last LastTurns turns before a shrink, a piece on the 4x4 board gains up to
	// CoreGain, and one that the shrink removes loses up to DoomedLoss, linearly.
	CoreGain, DoomedLoss, LastTurns [2]int
}

// DefaultEvaluation is the evaluation of a new [Searcher].
var DefaultEvaluation = Evaluation{
	Freedom: 2, Threat: 10,
	Core:     [2]int{24, 30},
	CoreGain: [2]int{10, 50}, DoomedLoss: [2]int{70, 40}, LastTurns: [2]int{28, 40},
}

// pieceWorth is the value of a piece.
const pieceWorth = 100

// core contains the playable squares of the 4x4 board, doomed the squares that the next
// shrink removes, by stage.
var (
	core   = wyb.Playable(wyb.Final)
	doomed = [2]uint64{
		wyb.Playable(wyb.Full) &^ wyb.Playable(wyb.Middle),
		wyb.Playable(wyb.Middle) &^ wyb.Playable(wyb.Final),
	}
)

// evaluate returns the static evaluation for the side to move. toShrink is the number of
// turns to the next shrink; it is ignored on the 4x4 board.
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

// spread returns the squares next to the squares of a set.
func spread(s uint64) uint64 {
	return s<<8 | s>>8 | s<<1&notLeft | s>>1&notRight
}
