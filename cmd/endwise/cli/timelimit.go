package cli

import (
	"context"
	"time"

	"endwise/book"
)

// Limited is a context that ends after a time: on the clock, or with cpu of
// processor time, so much for each thread, which other work on the machine
// changes less. took says how much of it has passed.
func Limited(ctx context.Context, limit time.Duration, cpu bool, threads int) (limited context.Context, took func() time.Duration, cancel context.CancelFunc) {
	if !cpu {
		start := time.Now()
		limited, cancel = context.WithTimeout(ctx, limit)
		return limited, func() time.Duration { return time.Since(start) }, cancel
	}
	start := book.ProcessorTime()
	took = func() time.Duration { return (book.ProcessorTime() - start) / time.Duration(threads) }
	limited, cancel = context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for limited.Err() == nil {
			select {
			case <-tick.C:
				if took() > limit {
					cancel()
				}
			case <-limited.Done():
			}
		}
	}()
	return limited, took, cancel
}
