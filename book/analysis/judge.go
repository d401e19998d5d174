package analysis

import (
	"context"
	"fmt"

	"endwise/book"
	"endwise/engine"
)

// evaluation is the evaluation of a position for the side to move.
type evaluation struct {
	Truth
	best   string
	line   []string // best play, from best on
	source string
	depth  int
}

// evaluate sets a.values[i], and updates a.unsolved. All later positions must be evaluated.
func (a *analyst) evaluate(ctx context.Context, i int) error {
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
	if a.unsolved < a.limits.Unsolved {
		d, err = a.solve(ctx, p, false)
	} else {
		d, err = a.decide(ctx, p, a.limits.Estimate, false)
	}
	if err != nil {
		return fmt.Errorf("position %d of %d: %w", i+1, len(a.values), err)
	}
	v.setDecision(d)
	if i < len(a.record.Moves) {
		a.raiseToPlayed(i, d)
	}
	v.clip(v.Lower, v.Upper, a.rules.ProofScale())
	if _, ok := v.Exact(); ok {
		a.unsolved, v.Estimate = 0, nil
	} else {
		a.unsolved++
	}
	return nil
}

// setDecision sets v, which must be zero, from the decision d for its position.
func (v *evaluation) setDecision(d engine.Decision) {
	v.best, v.line, v.source, v.depth = d.Move, d.Line, d.Source, d.Depth
	if len(v.line) == 0 {
		v.line = []string{d.Move}
	}
	switch {
	case d.Source == book.Recorded: // not a proof
		v.Estimate = &d.Score
	case d.Proof == engine.Exact:
		v.Upper = &d.Score
		if d.MoveProved() { // otherwise it is not proved which move reaches the value
			v.Lower = &d.Score
		}
	case d.Proof == engine.Lower:
		v.Lower = &d.Score
	case d.Proof == engine.Upper:
		v.Upper = &d.Score
	default:
		v.Estimate = &d.Score
	}
}

// raiseToPlayed raises the lower bound of position i to that of the played move, unless this contradicts
// the upper bound. If the bound then proves the value, or exceeds the value of the move of the decision
// d, the played move becomes the best move.
func (a *analyst) raiseToPlayed(i int, d engine.Decision) {
	v, played := &a.values[i], a.playedValue(i).Lower
	if played == nil || v.Upper != nil && *played > *v.Upper || v.Lower != nil && *played <= *v.Lower {
		return
	}
	v.Lower = played
	if _, ok := v.Exact(); ok || a.moveScore(d) < *played*a.rules.ProofScale() {
		next := a.values[i+1]
		v.best = a.record.Positions[i].MoveString(a.record.Moves[i])
		v.line = append([]string{v.best}, next.line...)
		v.source, v.depth = next.source, next.depth
	}
}

// moveScore returns the value of d.Move, a bound or an estimate of it, in points of estimates.
func (a *analyst) moveScore(d engine.Decision) int {
	own := d.Own()
	if own.Proof == engine.Estimate {
		return own.Score
	}
	return own.Score * a.rules.ProofScale()
}

// clipEstimates clips the estimate of each position by the upper bound of the position before it.
func (a *analyst) clipEstimates() {
	for i := range a.record.Moves {
		upper, next := a.values[i].Upper, &a.values[i+1]
		if upper == nil {
			continue
		}
		if gain, passed := a.gain(i); passed {
			next.clip(new(gain-*upper), nil, a.rules.ProofScale())
		} else {
			next.clip(nil, new(*upper-gain), a.rules.ProofScale())
		}
	}
}

// playedValue returns bounds of the value of the move played at position i, for the side that played it.
// They follow from the bounds of position i+1.
func (a *analyst) playedValue(i int) Truth {
	next := a.values[i+1]
	gain, passed := a.gain(i)
	bound := func(v *int, sign int) *int {
		if v == nil {
			return nil
		}
		return new(gain + *v*sign)
	}
	if !passed {
		return Truth{Lower: bound(next.Lower, 1), Upper: bound(next.Upper, 1)}
	}
	return Truth{Lower: bound(next.Upper, -1), Upper: bound(next.Lower, -1)}
}

// gain returns the number of squares that the move played at position i captures, 0 in a game without
// scores. passed reports whether the other side moves next.
func (a *analyst) gain(i int) (gain int, passed bool) {
	p, q := a.record.Positions[i], a.record.Positions[i+1]
	if a.rules.Scored {
		gain = engine.Lead(q, p.Turn()) - engine.Lead(p, p.Turn())
	}
	return gain, q.Turn() != p.Turn()
}

// move returns the evaluation of m, the move played at position i. Loss and MinLoss are nil if the
// bounds contradict each other, or prove neither that m loses nor that it keeps the value.
func (a *analyst) move(i int, m engine.Move) Move {
	p, before, after := a.record.Positions[i], a.values[i], a.playedValue(i)
	out := Move{
		Ply: i + 1, Player: int(p.Turn()), Move: p.MoveString(m), Score: a.record.Positions[i+1].Score(),
		Before: before.Truth, Source: before.source, Depth: before.depth, Best: before.best,
	}
	value, solved := before.Exact()
	played, playedSolved := after.Exact()
	switch {
	case before.Upper != nil && after.Lower != nil && *before.Upper < *after.Lower:
		// Sources contradict each other.
	case solved && playedSolved:
		out.Loss = new(value - played)
	case before.Upper != nil && after.Lower != nil && *before.Upper <= *after.Lower:
		out.Loss = new(0)
	case before.Lower != nil && after.Upper != nil && *before.Lower > *after.Upper:
		out.MinLoss = new(*before.Lower - *after.Upper)
	}
	return out
}

// margin returns the point of the evaluation plot after i moves: the exact value of position i, else its
// estimate, which lies within the bounds, else a bound. ok is false if position i has no evaluation.
func (a *analyst) margin(i int) (m Margin, ok bool) {
	p, v := a.record.Positions[i], a.values[i]
	m.Ply = i
	value, solved := v.Exact()
	switch {
	case solved:
		m.Value, m.Proof = float64(value), engine.Exact
	case v.Estimate != nil:
		m.Value, m.Proof = float64(*v.Estimate)/float64(max(a.rules.EstimateScale, 1)), engine.Estimate
	case v.Lower != nil:
		m.Value, m.Proof = float64(*v.Lower), engine.Lower
	case v.Upper != nil:
		m.Value, m.Proof = float64(*v.Upper), engine.Upper
	default:
		return m, false
	}
	if !a.rules.Scored {
		m.Value = max(-1, min(1, m.Value))
	}
	if p.Turn() == engine.Second {
		m.Value = 0 - m.Value // -m.Value would be -0 for a tie
		switch m.Proof {      // the bounds change places
		case engine.Lower:
			m.Proof = engine.Upper
		case engine.Upper:
			m.Proof = engine.Lower
		}
	}
	if a.rules.Scored {
		m.Value += float64(engine.Lead(p, engine.First))
	}
	return m, true
}
