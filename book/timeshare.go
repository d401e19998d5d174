package book

import (
	"context"
	"time"

	"endwise/engine"
)

// ShareToKeep is the share of the time for finding the move that keeps a result proved earlier.
const ShareToKeep = 0.98

// Within returns a context that ends after a share, from 0 to 1, of the remaining time of c. It ends
// only with ctx if c has no limit, or if share is [ShareToKeep] and c has a target time but no deadline.
func Within(ctx context.Context, c engine.Clock, share float64) (context.Context, context.CancelFunc) {
	left, ok := c.Remaining()
	if !ok || share == ShareToKeep && c.Deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(float64(left)*share))
}
