package arena

import (
	"cmp"
	"context"
)

// Source provides the games of a run. Its methods are not called concurrently.
type Source interface {
	// Next returns the next game to play. If ok is false, there is none until another result is recorded.
	Next() (game Fixture, ok bool)
	// Record is called with the result of a game.
	Record(r Result)
}

// Run plays the source's games with play, up to concurrency games at a time (at least one). It
// appends each result to the journal and then passes it to src.Record and onResult. journal and
// onResult may be nil. The first error of ctx, of play or of the journal ends the run when the
// games in play have ended. An error of the journal takes precedence over earlier ones.
func Run(ctx context.Context, play func(context.Context, Fixture) (Result, error), src Source,
	concurrency int, journal *Journal, onResult func(Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type played struct {
		result Result
		err    error
	}
	ended := make(chan played)
	var journalErr error
	for inPlay := 0; ; inPlay-- {
		for inPlay < max(concurrency, 1) && ctx.Err() == nil {
			game, ok := src.Next()
			if !ok {
				break
			}
			inPlay++
			go func() {
				result, err := play(ctx, game)
				ended <- played{result, err}
			}()
		}
		if inPlay == 0 {
			return cmp.Or(journalErr, context.Cause(ctx))
		}
		p := <-ended
		if p.err == nil {
			p.err = journal.Append(p.result)
			journalErr = cmp.Or(journalErr, p.err)
		}
		if p.err != nil {
			cancel(p.err)
			continue
		}
		src.Record(p.result)
		if onResult != nil {
			onResult(p.result)
		}
	}
}
