package book

import (
	"context"

	"endwise/engine"
)

func (p Player) Ponder(ctx context.Context, pos engine.Position) { p.Lookup.Ponder(ctx, pos) }

// Ponder calls Ponder of the sources that implement [engine.Ponderer], one after the other. It returns
// when ctx ends, even if a source needs longer to stop.
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
