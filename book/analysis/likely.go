package analysis

import (
	"cmp"
	"slices"
)

// LikelyMistake is a move after which the estimate for its player fell. Estimates prove nothing.
type LikelyMistake struct {
	Ply    int    `json:"ply"`
	Player int    `json:"player"`
	Move   string `json:"move"`
	Better string `json:"better"` // the best move according to the estimate before the move
	// Fall is the estimate before the move minus the estimate after it, in points of
	// estimates.
	Fall int `json:"fall"`
}

// likelyMistakes returns the moves with the largest falls of the estimate, at most
// Limits.Worst. A move counts if the positions before and after it have an estimate and no value,
// and if the estimate falls by at least minFall.
func (a *analyst) likelyMistakes() []LikelyMistake {
	var out []LikelyMistake
	for i, m := range a.record.Moves {
		p, before, after := a.record.Positions[i], a.values[i], a.values[i+1]
		if before.Estimate == nil || after.Estimate == nil {
			continue
		}
		gain, passed := a.gain(i)
		played := *after.Estimate
		if passed {
			played = -played
		}
		fall, move := *before.Estimate-gain*a.rules.ProofScale()-played, p.MoveString(m)
		if fall >= a.minFall() && move != before.best {
			out = append(out, LikelyMistake{i + 1, int(p.Turn()), move, before.best, fall})
		}
	}
	slices.SortStableFunc(out, func(x, y LikelyMistake) int { return cmp.Compare(y.Fall, x.Fall) })
	return out[:min(len(out), a.limits.Worst)]
}

// minFall returns the smallest fall of an estimate that is worth a report: two squares that
// change sides, or a piece.
func (a *analyst) minFall() int {
	if a.rules.Scored {
		return 4 * a.rules.ProofScale()
	}
	return 100
}
