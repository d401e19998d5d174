package book

import (
	"context"
	"time"

	"endwise/engine"
)

// ShareToKeep is the share of the remaining time for finding the move that keeps what was
// proved at an earlier turn.
const ShareToKeep = 0.98

// Within limits a context to a share of the question's remaining time. If the clock has a
// target time and no deadline, [ShareToKeep] means no limit.
func Within(ctx context.Context, c engine.Clock, share float64) (context.Context, context.CancelFunc) {
	left, ok := c.Remaining()
	if !ok || share == ShareToKeep && c.Deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(float64(left)*share))
}
