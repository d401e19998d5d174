package analysis

import "endwise/engine"

func (a *analyst) findTurningPoint(out *Analysis) {
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
	out.Expected = int(a.expectedWinner(first))
	for i := first; i < len(a.record.Moves); i++ {
		if a.expectedWinner(i) != a.expectedWinner(i+1) {
			out.Turned = i + 1
		}
	}
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
