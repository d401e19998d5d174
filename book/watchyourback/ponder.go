package watchyourback

import (
	"context"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/watchyourback"
)

// ponderTime is the most that a source may think about an opponent's move.
const ponderTime = time.Hour

// pondered is a question that nobody waits for.
func pondered(p engine.Position) *book.Question {
	return &book.Question{Position: p, Clock: engine.Clock{MoveTime: ponderTime}, Known: book.NewKnown(p, watchyourback.Game{}, nil)}
}

// Ponder solves the opponent's position as far as the context goes: what counts
// is what the searcher's table keeps of it.
func (s *solveSource) Ponder(ctx context.Context, p engine.Position) {
	_, _ = s.Improve(ctx, pondered(p))
}

// Ponder searches the opponent's position, as Ponder of solveSource.
func (s *searchSource) Ponder(ctx context.Context, p engine.Position) {
	_, _ = s.Improve(ctx, pondered(p))
}
