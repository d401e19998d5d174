package analysis

import (
	"context"
	"fmt"

	"endwise/engine"
)

// judged is what a position turned out to be worth to its mover.
type judged struct {
	lower, upper       int
	hasLower, hasUpper bool
	estimate           int
	hasEstimate        bool
	best               string
	line               []string
	source             string
	depth              int
}

func (j judged) exact() bool { return j.hasLower && j.hasUpper && j.lower == j.upper }

func (j *judged) atLeast(v int) {
	if !j.hasLower || v > j.lower {
		j.lower, j.hasLower = v, true
	}
}

func (j *judged) atMost(v int) {
	if !j.hasUpper || v < j.upper {
		j.upper, j.hasUpper = v, true
	}
}

func (j judged) truth() Truth {
	var t Truth
	if j.hasLower {
		t.Lower = &j.lower
	}
	if j.hasUpper {
		t.Upper = &j.upper
	}
	if j.hasEstimate && !j.exact() {
		t.Estimate = &j.estimate
	}
	return t
}

// judge finds the value of position i; what a move gives up, which makes it a mistake,
// is the difference between two of them (see analyst.move). missed counts the positions in a row,
// towards the start, that could not be solved.
func (a *analyst) judge(ctx context.Context, i int, missed *int) error {
	p, v := a.record.Positions[i], &a.values[i]
	if p.Over() {
		*v = judged{hasLower: true, hasUpper: true, source: "rules"}
		if !a.rules.Scored {
			v.lower = outcome(engine.Winner(p), p.Turn())
			v.upper = v.lower
		}
		return nil
	}
	var d engine.Decision
	var err error
	if *missed < a.limits.Misses {
		d, err = a.solve(ctx, p, false)
	} else {
		d, err = a.decide(ctx, p, a.limits.Guess, false)
	}
	if err != nil {
		return fmt.Errorf("position %d of %d: %w", i+1, len(a.values), err)
	}
	v.best, v.line, v.source, v.depth = d.Move, d.Line, d.Source, d.Depth
	switch d.Proof {
	case engine.Exact:
		v.atLeast(d.Score)
		v.atMost(d.Score)
	case engine.Lower:
		v.atLeast(d.Score)
	case engine.Upper:
		v.atMost(d.Score)
	default:
		v.estimate, v.hasEstimate = d.Score, true
	}
	if i < len(a.record.Moves) {
		// The played move is one of the moves: the position is worth at least
		// what that gives.
		if m := a.played(i); m.hasLower {
			v.atLeast(m.lower)
		}
	}
	if v.exact() {
		*missed = 0
	} else {
		*missed++
	}
	return nil
}

// outcome is 1, 0 or -1 for a side.
func outcome(winner, side engine.Side) int {
	switch winner {
	case engine.None:
		return 0
	case side:
		return 1
	}
	return -1
}

// played is what the move played at position i is worth to its mover: what it
// captured and what is left after it.
func (a *analyst) played(i int) judged {
	p, q, next := a.record.Positions[i], a.record.Positions[i+1], a.values[i+1]
	gain := 0
	if a.rules.Scored {
		me, s, t := p.Turn(), p.Score(), q.Score()
		gain = t[me-1] - s[me-1] - t[me.Other()-1] + s[me.Other()-1]
	}
	if q.Turn() == p.Turn() {
		next.lower += gain
		next.upper += gain
		return next
	}
	next.lower, next.upper = gain-next.upper, gain-next.lower
	next.hasLower, next.hasUpper = next.hasUpper, next.hasLower
	return next
}

// move reports on the move played at position i.
func (a *analyst) move(i int, m engine.Move) Move {
	p, before, after := a.record.Positions[i], a.values[i], a.played(i)
	out := Move{
		Ply: i + 1, Player: int(p.Turn()), Move: p.MoveString(m), Score: a.record.Positions[i+1].Score(),
		Before: before.truth(), Source: before.source, Depth: before.depth, Best: before.best,
	}
	switch {
	case before.exact() && after.exact():
		loss := before.lower - after.lower
		out.GivesUp = &loss
	case before.hasUpper && after.hasLower && before.upper <= after.lower:
		none := 0
		out.GivesUp = &none
	case before.hasLower && after.hasUpper && before.lower > after.upper:
		loss := before.lower - after.upper
		out.AtLeast = &loss
	}
	return out
}

// margin is the result to expect after i moves, from player 1's side: for
// scored games the final margin.
func (a *analyst) margin(i int) (Margin, bool) {
	p, v := a.record.Positions[i], a.values[i]
	m := Margin{Ply: i, Proof: engine.Estimate}
	var own float64
	switch {
	case v.exact():
		own, m.Proof = float64(v.lower), engine.Exact
	case v.hasEstimate:
		own = float64(v.estimate) / float64(max(a.rules.EstimateScale, 1))
		// What is proved holds for the estimate as well.
		if v.hasLower {
			own = max(own, float64(v.lower))
		}
		if v.hasUpper {
			own = min(own, float64(v.upper))
		}
	case v.hasLower:
		own, m.Proof = float64(v.lower), engine.Lower
	case v.hasUpper:
		own, m.Proof = float64(v.upper), engine.Upper
	default:
		return m, false
	}
	if !a.rules.Scored {
		own = max(-1, min(1, own))
	}
	if p.Turn() == engine.Second {
		own = -own
		switch m.Proof {
		case engine.Lower:
			m.Proof = engine.Upper
		case engine.Upper:
			m.Proof = engine.Lower
		}
	}
	m.Value = own
	if a.rules.Scored {
		s := p.Score()
		m.Value += float64(s[0] - s[1])
	}
	return m, true
}
