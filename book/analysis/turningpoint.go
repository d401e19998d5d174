package analysis

import "endwise/engine"

// turns determines the solved part and the move that decided it.
func (a *analyst) turns(out *Analysis) {
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
	out.Expected = int(a.expected(first))
	for i := first; i < len(a.record.Moves); i++ {
		if a.expected(i) != a.expected(i+1) {
			out.Turned = i + 1
		}
	}
}

// expected returns the winner with best play from a solved position.
func (a *analyst) expected(i int) engine.Side {
	m, _ := a.margin(i)
	switch {
	case m.Value > 0:
		return engine.First
	case m.Value < 0:
		return engine.Second
	}
	return engine.None
}
