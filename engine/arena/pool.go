package arena

import (
	"context"
	"sync"
)

// source gives the fixtures of a run one after the other. Both methods are
// called under the pool's lock.
type source interface {
	// next is the next game to play; ok is false when there is none now,
	// which ends the run once nothing is in play.
	next() (f Fixture, ok bool)
	// record takes the result of a game.
	record(r Result)
}

// runPool plays the source's games, concurrency at a time, until there are
// none left. Results are appended to the journal (if any) before they are
// recorded. The first error of the context or the journal ends the run; games
// in play are then dropped.
func runPool(ctx context.Context, h *Hall, src source, concurrency int, journal *Journal, onResult func(Result)) error {
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
	take := func() (Fixture, bool) {
		mu.Lock()
		defer mu.Unlock()
		for ctx.Err() == nil {
			if f, ok := src.next(); ok {
				inPlay++
				return f, true
			}
			if inPlay == 0 {
				break
			}
			wake.Wait()
		}
		return Fixture{}, false
	}
	done := func(r Result, err error) {
		if err == nil && journal != nil {
			err = journal.Append(r)
		}
		mu.Lock()
		defer mu.Unlock()
		inPlay--
		if err != nil {
			cancel(err)
		} else {
			src.record(r)
			if onResult != nil {
				onResult(r)
			}
		}
		wake.Broadcast()
	}
	for range max(concurrency, 1) {
		wg.Go(func() {
			for {
				f, ok := take()
				if !ok {
					return
				}
				done(h.Play(ctx, f))
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
