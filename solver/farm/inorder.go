package farm

import (
	"cmp"
	"context"
	"runtime"
	"sync"
)

// InOrder calls each, which sends items, and calls work with every item, concurrently. It calls
// take with the items whose work is done, in the order in which they were sent, one at a time.
// About as many items as there are processors are in progress. The first error of a function
// ends InOrder and is returned; if ctx ends, its error. send then returns an error, which each
// must return.
func InOrder[T any](
	ctx context.Context, each func(send func(T) error) error, work, take func(T) error,
) error {
	type job struct {
		item T
		done chan error // receives the result of work
	}
	ctx, cancel := context.WithCancel(ctx)
	jobs := make(chan job, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	var sendErr error // of each; set before jobs is closed
	group.Go(func() {
		defer close(jobs)
		sendErr = each(func(item T) error {
			j := job{item, make(chan error, 1)}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
			group.Go(func() { j.done <- work(item) })
			return nil
		})
	})
	for j := range jobs {
		err := <-j.done
		if err == nil {
			err = take(j.item)
		}
		if err != nil {
			return err
		}
	}
	return cmp.Or(sendErr, ctx.Err())
}
