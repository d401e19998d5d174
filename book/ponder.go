package book

import (
	"context"
	"time"

	"endwise/engine"
)

// Ponder thinks about a position in which the opponent is to move.
func (p Player) Ponder(ctx context.Context, pos engine.Position) { p.Lookup.Ponder(ctx, pos) }

// Ponder lets the sources that can do so use the opponent's time, each in its
// turn. It returns as soon as the context has ended, whatever they do: on a busy
// machine their threads may take long to hear of it, and Decide waits for nobody.
func (l *Lookup) Ponder(ctx context.Context, p engine.Position) {
	done := make(chan error, 1)
	l.working.Go(func() {
		done <- guarded(func() error {
			for _, s := range l.Sources {
				if s, ok := s.(engine.Ponderer); ok && ctx.Err() == nil && !p.Over() {
					s.Ponder(ctx, p)
				}
			}
			return nil
		})
	})
	select {
	case err := <-done:
		if err != nil {
			panic(err) // engine.Ponder reports it
		}
	case <-ctx.Done():
	}
}

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
