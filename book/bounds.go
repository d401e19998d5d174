package book

import (
	"endwise/engine"
	"endwise/solver"
)

// Solved takes over what a solver has proved of a position of a game of segments, in
// which left squares or boxes are still to be had, and of its moves. Bounds of a
// move that say no more than what it gains and leaves are left out, unless they
// tell who wins.
func (k *Known) Solved(source string, left int, r solver.Result, moves ...solver.MoveBounds) {
	k.Count(r.Nodes)
	k.Bound(source, r.Lower, r.Upper)
	for _, m := range moves {
		if m.Segment < 0 {
			continue
		}
		c := Claim{Move: engine.Move(m.Segment), Lower: m.Lower, Upper: m.Upper, Line: Line(m.Line)}
		rest := left - m.Gain
		if m.Lower <= m.Gain-rest && !m.Exact() && m.Lower < k.Ties() {
			c.Lower = -unbounded
		}
		if m.Upper >= m.Gain+rest && !m.Exact() && m.Upper >= k.Ties() {
			c.Upper = unbounded
		}
		k.Prove(source, c)
	}
}

// Line is a line of segments as moves.
func Line(segments []int) []engine.Move {
	var out []engine.Move
	for _, s := range segments {
		out = append(out, engine.Move(s))
	}
	return out
}
