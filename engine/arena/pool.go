package arena

import (
	"cmp"
	"context"
)

// Source gives the fixtures of a run one after the other. Its methods are not
// called at the same time.
type Source interface {
	// Next returns the next game to play; ok is false if there is none now, which
	// ends the run once no game is in play.
	Next() (game Fixture, ok bool)
	// Record takes the result of a game.
	Record(r Result)
}

// Run has the source's games played by play, concurrency games at a time,
// until there are none left. Results are appended to the journal (if any)
// before they are recorded. The first error of the context, of play or of the
// journal ends the run; games in play are then dropped. An error of the journal is
// returned even if the context had ended before.
func Run(ctx context.Context, play func(context.Context, Fixture) (Result, error), src Source, concurrency int, journal *Journal, onResult func(Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type played struct {
		result Result
		err    error
	}
	ended := make(chan played)
	var lost error
	for inPlay := 0; ; inPlay-- {
		// A source that has no game now may have one when a game in play has ended.
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
			return cmp.Or(lost, context.Cause(ctx))
		}
		p := <-ended
		if p.err == nil {
			p.err = journal.Append(p.result)
			lost = cmp.Or(lost, p.err)
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
