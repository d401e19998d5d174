package book

import (
	"context"

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
