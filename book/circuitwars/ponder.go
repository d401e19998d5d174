package circuitwars

import (
	"context"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

const ponderSegments = solveSegments + 1

// Ponder solves the winner of the position, and then its value. The results in the solver's
// transposition table also apply to the following positions and to positions with the same components.
func (s *solveSource) Ponder(ctx context.Context, pos engine.Position) {
	p, ok := pos.(circuitwars.Position)
	if !ok || p.Free().Len() > ponderSegments {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.solver.AtLeast(ctx, p.Board(), p.Free(), winningValue(p)); err == nil && ctx.Err() == nil {
		_, _ = s.solver.Value(ctx, p.Board(), p.Free())
	}
}
