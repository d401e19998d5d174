package farm_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"endwise/solver/farm"
)

// Jobs wait in a queue, and workers carry each of them out once.
func ExampleRun() {
	var q farm.Local
	for i := range 10 {
		if err := q.Enqueue(context.Background(), farm.Job{ID: i}); err != nil {
			fmt.Println(err)
			return
		}
	}
	var done atomic.Int64
	err := farm.Run(context.Background(), &q, 3, func(context.Context, farm.Job) error {
		done.Add(1)
		return nil
	})
	fmt.Println(done.Load(), err)
	// Output: 10 <nil>
}
