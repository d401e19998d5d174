package watchyourback

import (
	"context"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/watchyourback"
)

// ponderTime is the time for a move that each source may divide while it ponders.
const ponderTime = time.Hour

func ponderQuestion(p engine.Position) *book.Question {
	return &book.Question{
		Position: p,
		Clock:    engine.Clock{MoveTime: ponderTime},
		Known:    book.NewKnown(p, watchyourback.Game{}, nil),
	}
}

// Ponder tries to solve the opponent's position, if it is shortly before a shrink.
func (s *solveSource) Ponder(ctx context.Context, p engine.Position) {
	_, _ = s.Improve(ctx, ponderQuestion(p))
}

// Ponder searches the opponent's position until ctx ends, at most for ponderTime.
func (s *searchSource) Ponder(ctx context.Context, p engine.Position) {
	_, _ = s.Improve(ctx, ponderQuestion(p))
}
