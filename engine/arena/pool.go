package arena

import (
	"context"
	"sync"
)

// source gives the fixtures of a run one after the other. Both methods are
// called under the pool's lock.
type source interface {
	// next are the next games to play, one after the other by the same
	// player of games; ok is false when there are none now, which ends the run
	// once nothing is in play.
	next() (games []Fixture, ok bool)
	// record takes the result of a game.
	record(r Result)
}

// runPool has the source's games played by play, concurrency calls at a time,
// until there are none left. Results are appended to the journal (if any)
// before they are recorded. The first error of the context, of play or of the
// journal ends the run; games in play are then dropped.
func runPool(ctx context.Context, play Play, src source, concurrency int, journal *Journal, onResult func(Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu     sync.Mutex
		wake   = sync.NewCond(&mu)
		inPlay int
		wg     sync.WaitGroup
	)
	stopWake := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		wake.Broadcast()
	})
	defer stopWake()
	// take waits for a game: a source that has none now may have one when a
	// game in play has ended.
	take := func() ([]Fixture, bool) {
		mu.Lock()
		defer mu.Unlock()
		for ctx.Err() == nil {
			if games, ok := src.next(); ok {
				inPlay++
				return games, true
			}
			if inPlay == 0 {
				break
			}
			wake.Wait()
		}
		return nil, false
	}
	done := func(results []Result, err error) {
		for _, r := range results {
			if err == nil {
				err = journal.Append(r)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		inPlay--
		if err != nil {
			cancel(err)
		} else {
			for _, r := range results {
				src.record(r)
				if onResult != nil {
					onResult(r)
				}
			}
		}
		wake.Broadcast()
	}
	for range max(concurrency, 1) {
		wg.Go(func() {
			for {
				games, ok := take()
				if !ok {
					return
				}
				done(play(ctx, games))
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
