package book

import (
	"context"

	"endwise/engine"
)

// Player plays with a Lookup.
type Player struct {
	Label  string
	Lookup *Lookup
}

// Name returns the label.
func (p Player) Name() string { return p.Label }

// Choose decides on a move.
func (p Player) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	return p.ChooseImproving(ctx, pos, c, nil)
}

// ChooseImproving decides on a move, and tells of better ones on the way to it.
func (p Player) ChooseImproving(ctx context.Context, pos engine.Position, c engine.Clock, improved func(engine.Decision)) (engine.Decision, error) {
	return p.Lookup.Decide(ctx, Question{Position: pos, Clock: c, Play: true, Improved: improved})
}
