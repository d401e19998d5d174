package circuitwars

import (
	"context"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// Pondering fills the solver's transposition table, whose results also apply to the following
// positions and to positions with the same components. data/results/tried-circuitwars.md
// contains measurements.

// ponderSegments is the maximum number of free segments of a position that is pondered.
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
