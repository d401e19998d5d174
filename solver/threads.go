package solver

import (
	"sync"
	"sync/atomic"
)

// Threads runs the goroutines of a search. If one of them panics, Wait panics in the goroutine of
// its caller. The zero value is ready for use.
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

// Wait waits for all goroutines. If some panicked, it panics with the value of one. t can be reused.
func (t *Threads) Wait() {
	t.running.Wait()
	if v := t.panicked.Swap(nil); v != nil {
		panic(*v)
	}
}
