package watchyourback

import (
	"context"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/watchyourback"
)

// ponderTime is the maximum time to ponder a position.
const ponderTime = time.Hour

// pondered returns a question whose answer is not used.
func pondered(p engine.Position) *book.Question {
	return &book.Question{
		Position: p,
		Clock:    engine.Clock{MoveTime: ponderTime},
		Known:    book.NewKnown(p, watchyourback.Game{}, nil),
	}
}

// Ponder solves the opponent's position until ctx ends. The results remain in the searcher's
// transposition table.
func (s *solveSource) Ponder(ctx context.Context, p engine.Position) {
	_, _ = s.Improve(ctx, pondered(p))
}

// Ponder searches the opponent's position until ctx ends. The results remain in the searcher's
// transposition table.
func (s *searchSource) Ponder(ctx context.Context, p engine.Position) {
	_, _ = s.Improve(ctx, pondered(p))
}
