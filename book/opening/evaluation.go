package opening

import (
	"errors"
	"fmt"

	"endwise/engine"
)

var errIncomplete = errors.New("evaluation omits a move")

// blank returns a stored move for each step. Moves that end the game have their exact values, other
// moves the estimate 0 and no bounds.
func blank(steps []step) []storedMove {
	out := make([]storedMove, len(steps))
	for i, s := range steps {
		out[i] = storedMove{Hash: childHash(s.Key), Move: uint16(s.Move), Eval: unknown(0)}
		if s.Over {
			out[i] = storedMove{Move: uint16(s.Move), Eval: exactly(s.Gain), Ends: true}
		}
	}
	return out
}

// newRecord converts an [Evaluator]'s decision about the canonical position p to a record. It returns
// [errIncomplete] if d omits a move, and [ErrContradiction] if proofs exclude each other.
func newRecord(g engine.Game, key string, p engine.Position, d engine.Decision) (record, error) {
	fail := func(err error) (record, error) { return record{}, fmt.Errorf("evaluation of %s: %w", p, err) }
	steps, indexOf, err := stepsOf(g, p)
	if err != nil {
		return fail(err)
	}
	r := record{Key: key, Own: unknown(0), Moves: blank(steps)}
	r.Depth = uint16(min(max(d.Depth, 0), 1<<16-1))
	r.Millis = uint32(min(max(d.Elapsed.Milliseconds(), 0), 1<<32-1))
	if d.Proof != engine.Estimate {
		if r.Own, err = tighten(g.ProofScale(), r.Own, d.Score, d.Proof); err != nil {
			return fail(err)
		}
	}
	hasEst, err := r.addMoves(g.ProofScale(), p, indexOf, d.Moves)
	if err != nil {
		return fail(err)
	}
	if err := r.completeEstimates(p, hasEst); err != nil {
		return fail(err)
	}
	return r, nil
}

// addMoves adds the evaluations of p's moves to the record. indexOf maps each legal move to its index
// in r.Moves. hasEst reports for each stored move whether it has an estimate or an exact value.
func (r *record) addMoves(
	scale int, p engine.Position, indexOf map[engine.Move]int, moves []engine.MoveValue,
) (hasEst []bool, err error) {
	hasEst = make([]bool, len(r.Moves))
	for i, c := range r.Moves {
		hasEst[i] = c.Ends
	}
	for _, v := range moves {
		m, err := p.ParseMove(v.Move)
		if err != nil {
			return nil, err
		}
		i, ok := indexOf[m]
		if !ok {
			return nil, fmt.Errorf("move %s is not one of its moves", v.Move)
		}
		c := &r.Moves[i]
		if c.Eval, hasEst[i], err = combine(scale, c.Eval, hasEst[i], v.Score, v.Proof); err != nil {
			return nil, fmt.Errorf("move %s: %w", v.Move, err)
		}
	}
	return hasEst, nil
}

// completeEstimates clamps the estimates of the moves to their bounds, and sets missing estimates to the
// number nearest to 0 within the bounds. It returns [errIncomplete] if a move has neither.
func (r *record) completeEstimates(p engine.Position, hasEst []bool) error {
	for i := range r.Moves {
		c := &r.Moves[i]
		if !hasEst[i] {
			if c.Eval == unknown(0) {
				return fmt.Errorf("%w: %s", errIncomplete, p.MoveString(engine.Move(c.Move)))
			}
			c.Eval = c.Eval.boundsOnly()
		}
		c.Eval = c.Eval.clamp()
	}
	return nil
}

// combine adds a score to v, the evaluation of a move by earlier scores. The greatest of several
// estimates counts; with scale > 1, an estimate stays between a loss and a win, ±scale. hadEst reports
// whether an earlier score was an estimate or exact, and hasEst the same with this score.
func combine(scale int, v Value, hadEst bool, score int, proof engine.Proof) (out Value, hasEst bool, err error) {
	if proof == engine.Estimate {
		if scale > 1 {
			score = max(-scale+1, min(scale-1, score))
		}
		score = max(-maxScore, min(maxScore, score))
		if !hadEst || int16(score) > v.Est {
			v.Est = int16(score)
		}
		return v, true, nil
	}
	out, err = tighten(scale, v, score, proof)
	return out, hadEst || proof == engine.Exact, err
}

// tighten intersects v with a proved score, in units of scale. It returns [ErrContradiction] if the
// intersection is empty, and another error if the score is too large.
func tighten(scale int, v Value, score int, proof engine.Proof) (Value, error) {
	score *= scale
	if score > maxScore || score < -maxScore {
		return v, fmt.Errorf("score %d: outside ±%d", score, maxScore)
	}
	w := unknown(0)
	switch s := int16(score); proof {
	case engine.Exact:
		w = exactly(s)
	case engine.Lower:
		w.Lo = s
	case engine.Upper:
		w.Hi = s
	}
	out, ok := v.Within(w)
	if !ok {
		return v, fmt.Errorf("%w: %s %d, but %s is known", ErrContradiction, proof, score, v)
	}
	return out.settle(scale), nil
}
