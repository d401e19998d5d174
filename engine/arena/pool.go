package arena

import "context"

// Source gives the fixtures of a run one after the other. Its methods are not
// called at the same time.
type Source interface {
	// Next are the next games to play, one after the other by the same
	// player of games; ok is false when there are none now, which ends the run
	// once nothing is in play.
	Next() (games []Fixture, ok bool)
	// Record takes the result of a game.
	Record(r Result)
}

// Run has the source's games played by play, concurrency calls at a time,
// until there are none left. Results are appended to the journal (if any)
// before they are recorded. The first error of the context, of play or of the
// journal ends the run; games in play are then dropped.
func Run(ctx context.Context, play Play, src Source, concurrency int, journal *Journal, onResult func(Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type played struct {
		results []Result
		err     error
	}
	ended := make(chan played)
	for inPlay := 0; ; inPlay-- {
		// A source that has no game now may have one when a game in play has ended.
		for inPlay < max(concurrency, 1) && ctx.Err() == nil {
			games, ok := src.Next()
			if !ok {
				break
			}
			inPlay++
			go func() {
				results, err := play(ctx, games)
				ended <- played{results, err}
			}()
		}
		if inPlay == 0 {
			return context.Cause(ctx)
		}
		p := <-ended
		for _, r := range p.results {
			if p.err == nil {
				p.err = journal.Append(r)
			}
		}
		if p.err != nil {
			cancel(p.err)
			continue
		}
		for _, r := range p.results {
			src.Record(r)
			if onResult != nil {
				onResult(r)
			}
		}
	}
}
