package dotsandboxes

import (
	"context"

	"endwise/book"
	"endwise/engine"
)

// instantSource draws a line by the look of the boxes beside it, in a few
// microseconds: what is played when everything else is late.
type instantSource struct{}

func (instantSource) Name() string { return "instant" }

func (s instantSource) Answer(_ context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	m := p.QuickMove()
	v := engine.MoveValue{Move: p.MoveString(m), Score: p.Captures(m), Proof: engine.Estimate, Source: s.Name()}
	return engine.Decision{
		Move: v.Move, Score: v.Score, Proof: v.Proof, Source: s.Name(),
		Line: []string{v.Move}, Moves: []engine.MoveValue{v},
	}, true, nil
}
