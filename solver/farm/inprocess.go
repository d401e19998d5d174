package farm

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
)

// InProcess is a Farm of goroutines in this process. Nothing that is shared is
// asked for before a handler needs it.
type InProcess struct {
	threads  int
	handlers *Handlers

	mu     sync.Mutex
	shared []func() ([]byte, error)
	taking sync.Mutex // held by calls of Take
}

var _ Farm = (*InProcess)(nil)

// NewInProcess returns a farm that works on so many jobs of a stage at once.
// kinds are those of the stages that have no Here.
func NewInProcess(kinds Kinds, threads int) *InProcess {
	f := &InProcess{threads: max(threads, 1)}
	f.handlers = NewHandlers(kinds, f)
	return f
}

// Share implements Farm. The bytes are named by a number: to work a digest out
// would take as long as packing them.
func (f *InProcess) Share(_ context.Context, open func() ([]byte, error)) (d Digest, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shared = append(f.shared, open)
	binary.BigEndian.PutUint64(d[:], uint64(len(f.shared)))
	return d, nil
}

// Blob implements Env.
func (f *InProcess) Blob(_ context.Context, d Digest) ([]byte, error) {
	f.mu.Lock()
	n := binary.BigEndian.Uint64(d[:])
	if n < 1 || n > uint64(len(f.shared)) {
		f.mu.Unlock()
		return nil, fmt.Errorf("%s: %w", d.Short(), ErrNoBlob)
	}
	open := f.shared[n-1]
	f.mu.Unlock()
	return open()
}

// Threads implements Env.
func (f *InProcess) Threads() int { return f.threads }

// Do implements Farm. The first job that fails ends the stage: in the process
// it would fail again.
func (f *InProcess) Do(ctx context.Context, s Stage) error {
	work := s.Here
	if work == nil {
		h, err := f.handlers.Get(s.Kind)
		if err != nil {
			return err
		}
		work = func(ctx context.Context, job int) error {
			result, err := Carry(ctx, h, s.Payloads[job])
			if err != nil {
				return err
			}
			f.taking.Lock()
			defer f.taking.Unlock()
			return s.Take(job, result)
		}
	}
	group, jobs := errgroup.WithContext(ctx)
	group.SetLimit(f.threads)
	for i := range s.Payloads {
		group.Go(func() error {
			err := jobs.Err()
			if err == nil {
				err = work(jobs, i)
			}
			if err != nil {
				return fmt.Errorf("%s, job %d: %w", s.Name, i, err)
			}
			return nil
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Close closes the handlers.
func (f *InProcess) Close() error { return f.handlers.Close() }
