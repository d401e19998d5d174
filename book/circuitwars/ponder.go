package circuitwars

import (
	"context"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// Solving on the opponent's time fills the solver's tables. Their results apply to the
// positions that follow and to all positions with the same components. See
// data/results/tried-circuitwars.md for measurements.

const ponderSegments = solveSegments + 1

// Ponder solves the winner of the position, and then its value.
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
