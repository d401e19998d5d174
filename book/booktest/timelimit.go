package booktest

import (
	"context"
	"testing"
	"time"

	"endwise/book"
)

// Limited returns a context that ends when the process has used the given processor time per thread
// since the call. used returns the processor time per thread so far. Limited skips the benchmark if
// the system does not report processor time.
func Limited(
	b *testing.B, limit time.Duration, threads int,
) (ctx context.Context, used func() time.Duration) {
	b.Helper()
	if !book.HasProcessorTime {
		b.Skip("this system does not report processor time")
	}
	start := book.ProcessorTime()
	used = func() time.Duration { return (book.ProcessorTime() - start) / time.Duration(threads) }
	ctx, cancel := context.WithCancel(b.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil && used() <= limit {
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return ctx, used
}
