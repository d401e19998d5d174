package book

import (
	"endwise/engine"
	"endwise/solver"
)

// Interval is what a solver has proved of a move of a game of segments that
// leaves rest squares or boxes to both. Bounds that say no more than what the
// move gains and leaves are left out, unless they tell who wins.
func (k *Known) Interval(m solver.MoveBounds, rest int) Claim {
	c := Claim{Move: engine.Move(m.Segment), Lower: m.Lower, Upper: m.Upper, Line: Line(m.Line)}
	if m.Lower <= m.Gain-rest && !m.Exact() && m.Lower < k.Ties() {
		c.Lower = -unbounded
	}
	if m.Upper >= m.Gain+rest && !m.Exact() && m.Upper >= k.Ties() {
		c.Upper = unbounded
	}
	return c
}

// Line is a line of segments as moves.
func Line(segments []int) []engine.Move {
	var out []engine.Move
	for _, s := range segments {
		out = append(out, engine.Move(s))
	}
	return out
}
