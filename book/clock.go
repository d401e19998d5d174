package book

import (
	"context"
	"time"

	"endwise/engine"
)

// within limits a context to a share of the question's remaining time. Where
// only a time to aim at is set and no deadline, a promise is kept however long
// that takes.
func within(ctx context.Context, c engine.Clock, share float64) (context.Context, context.CancelFunc) {
	left, ok := c.Remaining()
	if !ok || share == shareOfPromise && c.Deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(float64(left)*share))
}
