package solver

import (
	"sync"
	"sync/atomic"
)

// Threads runs the threads of a search. A panic of one of them becomes a panic of
// Wait, which the caller can recover, so that it does not end the process. The zero
// value is ready for use.
type Threads struct {
	running  sync.WaitGroup
	panicked atomic.Pointer[any]
}

// Go calls f in a new goroutine.
func (t *Threads) Go(f func()) {
	t.running.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				t.panicked.Store(&v)
			}
		}()
		f()
	})
}

// Wait waits until all threads have returned.
func (t *Threads) Wait() {
	t.running.Wait()
	if v := t.panicked.Load(); v != nil {
		panic(*v)
	}
}
