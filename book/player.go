package book

import (
	"context"

	"endwise/engine"
)

type Player struct {
	Label  string // name of the player
	Lookup *Lookup
}

func (p Player) Name() string { return p.Label }

func (p Player) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	return p.ChooseImproving(ctx, pos, c, nil)
}

// ChooseImproving is Choose with [Question].Improved.
func (p Player) ChooseImproving(
	ctx context.Context, pos engine.Position, c engine.Clock, improved func(engine.Decision),
) (engine.Decision, error) {
	return p.Lookup.Decide(ctx, Question{Position: pos, Clock: c, Play: true, Improved: improved})
}
