package farm

import (
	"cmp"
	"context"
	"runtime"
	"sync"
)

// InOrder calls produce with a function that sends items. It calls work with the items
// concurrently, about as many as there are processors, and after work take with one item at a time,
// in the order in which they were sent. It returns the error of work or take for the earliest item,
// else that of produce, else that of ctx. After an error of work or take, or when ctx ends, send
// returns an error, which produce must return; InOrder waits for produce.
func InOrder[T any](
	ctx context.Context, produce func(send func(T) error) error, work, take func(T) error,
) error {
	type job struct {
		item T
		done chan error
	}
	ctx, cancel := context.WithCancel(ctx)
	jobs := make(chan job, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	var sendErr error // of produce
	group.Go(func() {
		defer close(jobs)
		sendErr = produce(func(item T) error {
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
