package machine

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
		for limited.Err() == nil && took() <= limit {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	return limited, took, cancel
}
