package analysis

import (
	"context"
	"fmt"

	"endwise/engine"
)

// judged is what a position turned out to be worth to its mover.
type judged struct {
	Truth
	best   string
	line   []string
	source string
	depth  int
}

// judge finds the value of position i; what a move gives up, which makes it a mistake,
// is the difference between two of them (see analyst.move). missed counts the positions in a row,
// towards the start, that could not be solved.
func (a *analyst) judge(ctx context.Context, i int, missed *int) error {
	p, v := a.record.Positions[i], &a.values[i]
	if p.Over() {
		value := 0
		if !a.rules.Scored {
			value = engine.Outcome(p, p.Turn())
		}
		v.Lower, v.Upper, v.source = &value, &value, "rules"
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
		v.Lower, v.Upper = &d.Score, &d.Score
	case engine.Lower:
		v.Lower = &d.Score
	case engine.Upper:
		v.Upper = &d.Score
	default:
		v.Estimate = &d.Score
	}
	if i < len(a.record.Moves) {
		// The played move is one of the moves: the position is worth at least
		// what that gives.
		if m := a.played(i); m.Lower != nil && (v.Lower == nil || *m.Lower > *v.Lower) {
			v.Lower = m.Lower
		}
	}
	if _, ok := v.Exact(); ok {
		*missed, v.Estimate = 0, nil
	} else {
		*missed++
	}
	return nil
}

// played is what the move played at position i is worth to its mover: what it
// captured and what is left after it.
func (a *analyst) played(i int) Truth {
	p, q, next := a.record.Positions[i], a.record.Positions[i+1], a.values[i+1]
	gain := 0
	if a.rules.Scored {
		gain = engine.Lead(q, p.Turn()) - engine.Lead(p, p.Turn())
	}
	through := func(v *int, sign int) *int {
		if v == nil {
			return nil
		}
		return new(gain + *v*sign)
	}
	if q.Turn() == p.Turn() {
		return Truth{Lower: through(next.Lower, 1), Upper: through(next.Upper, 1)}
	}
	return Truth{Lower: through(next.Upper, -1), Upper: through(next.Lower, -1)}
}

// move reports on the move played at position i.
func (a *analyst) move(i int, m engine.Move) Move {
	p, before, after := a.record.Positions[i], a.values[i], a.played(i)
	out := Move{
		Ply: i + 1, Player: int(p.Turn()), Move: p.MoveString(m), Score: a.record.Positions[i+1].Score(),
		Before: before.Truth, Source: before.source, Depth: before.depth, Best: before.best,
	}
	value, solved := before.Exact()
	played, too := after.Exact()
	switch {
	case solved && too:
		out.GivesUp = new(value - played)
	case before.Upper != nil && after.Lower != nil && *before.Upper <= *after.Lower:
		out.GivesUp = new(0)
	case before.Lower != nil && after.Upper != nil && *before.Lower > *after.Upper:
		out.AtLeast = new(*before.Lower - *after.Upper)
	}
	return out
}

// margin is the result to expect after i moves, from player 1's side: for
// scored games the final margin.
func (a *analyst) margin(i int) (Margin, bool) {
	p, v := a.record.Positions[i], a.values[i]
	m := Margin{Ply: i, Proof: engine.Estimate}
	var own float64
	value, solved := v.Exact()
	switch {
	case solved:
		own, m.Proof = float64(value), engine.Exact
	case v.Estimate != nil:
		own = float64(*v.Estimate) / float64(max(a.rules.EstimateScale, 1))
		// What is proved holds for the estimate as well.
		if v.Lower != nil {
			own = max(own, float64(*v.Lower))
		}
		if v.Upper != nil {
			own = min(own, float64(*v.Upper))
		}
	case v.Lower != nil:
		own, m.Proof = float64(*v.Lower), engine.Lower
	case v.Upper != nil:
		own, m.Proof = float64(*v.Upper), engine.Upper
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
