package analysis

import (
	"cmp"
	"slices"

	"endwise/engine"
)

// LikelyMistake is a move after which the estimate for its player fell. Estimates prove nothing.
type LikelyMistake struct {
	Ply    int    `json:"ply"`
	Player int    `json:"player"`
	Move   string `json:"move"`
	Better string `json:"better"` // the best move according to the estimate before the move
	// Before and After are the results that the player could expect before and after the move, in
	// points of estimates; in games with a score they include the score so far.
	Before int `json:"before"`
	After  int `json:"after"`
}

func (m LikelyMistake) Fall() int { return m.Before - m.After }

// findLikelyMistakes sets out.Likely and out.Decisive.
func (a *analyst) findLikelyMistakes(out *Analysis) {
	falls := a.falls()
	for _, m := range falls {
		if m.Fall() >= a.minFall() {
			out.Likely = append(out.Likely, m)
		}
	}
	if out.Winner != 0 && out.Fault == "" && out.Turned == 0 && out.Winner != out.Proved {
		a.findDecisive(falls, out)
	}
}

// findDecisive sets out.Decisive to one of the falls, if no proved loss explains why the loser lost.
func (a *analyst) findDecisive(falls []LikelyMistake, out *Analysis) {
	proved := 0 // the loser's largest proved loss, in points of estimates
	for _, m := range out.Moves {
		if m.Player == out.Winner || m.ProvedLoss() == 0 {
			continue
		}
		if out.FirstSolved == 0 || m.Ply < out.FirstSolved {
			return // a proof says more
		}
		if a.rules.Scored {
			proved = max(proved, m.ProvedLoss()*a.rules.ProofScale())
		}
	}
	for _, m := range falls {
		counts := m.Player != out.Winner && m.Fall() >= a.minFall()/2 && m.Fall() > proved
		if counts && (out.Decisive == nil || m.Turns() && !out.Decisive.Turns()) {
			out.Decisive = &m
		}
	}
}

// Turns reports whether the player was behind after the move, and not before it.
func (m LikelyMistake) Turns() bool { return m.Before >= 0 && m.After < 0 }

// falls returns the moves after which the estimate fell, the largest fall first. A move counts if the
// positions before and after it are comparable, and if another move is best before it.
func (a *analyst) falls() (out []LikelyMistake) {
	for i, m := range a.record.Moves {
		if !a.comparable(i, i+1) && !a.provedBefore(i) {
			continue
		}
		p, best := a.record.Positions[i], a.values[i].best
		before, after := a.expected(i, i-1), a.expected(i+1, i+2)
		if p.Turn() == engine.Second {
			before, after = -before, -after
		}
		if move := p.MoveString(m); before > after && move != best {
			out = append(out, LikelyMistake{i + 1, int(p.Turn()), move, best, before, after})
		}
	}
	slices.SortStableFunc(out, func(x, y LikelyMistake) int { return cmp.Compare(y.Fall(), x.Fall()) })
	return out
}

// maxDepthGap is the largest difference of the depths of two estimates that are compared.
const maxDepthGap = 2

// comparable reports whether positions i and j both have an estimate, of the same source and of
// about the same depth, or both a single bound instead.
func (a *analyst) comparable(i, j int) bool {
	if j < 0 || j >= len(a.values) || a.estimateOrBound(i) == nil || a.estimateOrBound(j) == nil {
		return false
	}
	v, w := a.values[i], a.values[j]
	if v.Estimate == nil || w.Estimate == nil {
		return v.Estimate == w.Estimate
	}
	return v.source == w.source && max(v.depth, w.depth)-min(v.depth, w.depth) <= maxDepthGap
}

// provedBefore reports whether position i has a single bound, a lower one, and position i+1 an estimate: if
// the estimate is right and below the bound, the move lost something.
func (a *analyst) provedBefore(i int) bool {
	v, w := a.values[i], a.values[i+1]
	return v.Estimate == nil && v.Lower != nil && v.Upper == nil && w.Estimate != nil
}

// estimateOrBound returns the estimate of position i or, if it has exactly one bound instead, this bound,
// in points of estimates; nil if it has neither.
func (a *analyst) estimateOrBound(i int) *int {
	v := a.values[i]
	bound := v.Lower
	if bound == nil {
		bound = v.Upper
	}
	if v.Estimate != nil || bound == nil || v.Lower != nil && v.Upper != nil {
		return v.Estimate
	}
	return new(*bound * a.rules.ProofScale())
}

// expected returns the result that the first player can expect at position i, which must have an estimateOrBound,
// in points of estimates; without a score, EstimateScale is a win. Estimates often depend on the side to
// move, so it is the mean of the results at i and at a neighbouring position, if these are comparable.
func (a *analyst) expected(i, neighbour int) int {
	result := func(i int) int {
		v := *a.estimateOrBound(i)
		if a.record.Positions[i].Turn() == engine.Second {
			v = -v
		}
		if !a.rules.Scored {
			return max(-a.rules.EstimateScale, min(a.rules.EstimateScale, v))
		}
		return v + engine.Lead(a.record.Positions[i], engine.First)*a.rules.ProofScale()
	}
	if !a.comparable(i, neighbour) {
		return result(i)
	}
	return (result(i) + result(neighbour)) / 2
}

// minFall returns the smallest fall of an estimate, in its points, that is worth a report: two squares
// that change sides, or a piece.
func (a *analyst) minFall() int {
	if a.rules.Scored {
		return 4 * a.rules.ProofScale()
	}
	return 100
}
