package analysis

import (
	"endwise/engine"
	"endwise/engine/grid"
)

// findTurningPoint sets Proved, ProvedUntil, FirstSolved, Expected, ExpectedScore and Turned of out.
func (a *analyst) findTurningPoint(out *Analysis) {
	out.Proved = a.provedWinner(0)
	first := len(a.values)
	for ; first > 0; first-- {
		if _, ok := a.values[first-1].Exact(); !ok {
			break
		}
	}
	if first >= len(a.record.Moves) {
		return // at most the last position is solved
	}
	out.FirstSolved = first + 1
	for i := range first {
		if out.Proved != 0 && a.provedWinner(i) == out.Proved {
			out.ProvedUntil = i + 1
		}
	}
	out.Expected = int(a.expectedWinner(first))
	if b, err := grid.Parse(a.record.Positions[0].BoardName()); err == nil && a.rules.Scored {
		m, _ := a.margin(first)
		out.ExpectedScore = b.FinalScore(int(m.Value))
	}
	for i := first; i < len(a.record.Moves); i++ {
		if a.expectedWinner(i) != a.expectedWinner(i+1) {
			out.Turned = i + 1
		}
	}
	if out.ByForfeit() {
		out.Turned = 0
	}
}

// provedWinner returns the player who is proved to win from position i, or 0.
func (a *analyst) provedWinner(i int) int {
	p, v := a.record.Positions[i], a.values[i]
	lead := 0
	if a.rules.Scored {
		lead = engine.Lead(p, p.Turn())
	}
	switch {
	case v.Lower != nil && *v.Lower+lead > 0:
		return int(p.Turn())
	case v.Upper != nil && *v.Upper+lead < 0:
		return int(p.Turn().Other())
	}
	return 0
}

// expectedWinner returns the winner of the game, or None for a tie, if both sides play their best
// from the position after i moves, which must be solved.
func (a *analyst) expectedWinner(i int) engine.Side {
	m, _ := a.margin(i)
	switch {
	case m.Value > 0:
		return engine.First
	case m.Value < 0:
		return engine.Second
	}
	return engine.None
}
