package book

import (
	"context"

	"endwise/engine"
)

// Ponder implements [engine.Ponderer].
func (p Player) Ponder(ctx context.Context, pos engine.Position) { p.Lookup.Ponder(ctx, pos) }

// Ponder lets the sources that implement [engine.Ponderer] use the opponent's time, one
// after the other. It returns as soon as the context has ended, whatever they do: on a busy
// machine they may take long to stop, and Decide does not wait for them.
func (l *Lookup) Ponder(ctx context.Context, p engine.Position) {
	done := make(chan error, 1)
	l.running.Go(func() {
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
