package circuitwars

import (
	"context"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
)

// beyondMirror looks for more than the mirror guarantees. The guarantee is
// given up only for an exact value above it that was found so quickly that the
// positions behind it, which are parts of the one just solved, will be solved
// again in time.
func (s *solveSource) beyondMirror(ctx context.Context, q *book.Question, p circuitwars.Position, g grid.Graph, m mirrorMove) (engine.Decision, bool, error) {
	start := time.Now()
	left, limited := q.Clock.Remaining()
	d, ok, err := s.bestMove(ctx, q, p, g, shareWithMirror)
	switch {
	case err != nil || !ok:
		return d, false, err
	case d.Score == m.guarantee:
		d.Move = p.MoveString(engine.Move(m.segment))
		d.Source, d.Line = "mirror", []string{d.Move}
		d.Moves = []engine.MoveValue{{Move: d.Move, Score: d.Score, Proof: engine.Exact, Source: "mirror"}}
		return d, true, nil
	case limited && float64(time.Since(start)) > shareToLeave*float64(left):
		return engine.Decision{}, false, nil
	}
	move, err := p.ParseMove(d.Move)
	if err != nil {
		return engine.Decision{}, false, err
	}
	after, err := p.Occupy(int(move))
	if err != nil {
		return engine.Decision{}, false, err
	}
	s.promised = &after
	return d, true, nil
}

// isPromised says whether p can follow from the promised position: everything
// drawn there is drawn in p.
func (s *solveSource) isPromised(p circuitwars.Position) bool {
	if s.promised == nil || s.promised.Board() != p.Board() {
		return false
	}
	before, now := s.promised.Drawn(), p.Drawn()
	for i := range before {
		if before[i]&^now[i] != 0 {
			return false
		}
	}
	return true
}
