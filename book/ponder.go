package book

import (
	"context"
	"time"
)

// PonderInRounds is how the sources divide the opponent's time, which engine.Ponder
// starts and ends: it asks about each of several positions for a moment, and in
// every further round for twice as long about those that are left, until one
// says of all that there is nothing left to ask, or the context ends.
func PonderInRounds[P any](ctx context.Context, open []P, first time.Duration, one func(context.Context, P, time.Duration) bool) {
	for each := first; len(open) > 0; each *= 2 {
		rest := open[:0]
		for _, p := range open {
			if ctx.Err() != nil {
				return
			}
			if !one(ctx, p, each) {
				rest = append(rest, p)
			}
		}
		open = rest
	}
}
