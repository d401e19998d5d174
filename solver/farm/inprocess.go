package farm

import (
	"context"
	"fmt"
	"sync"
)

// InProcess is a Farm of goroutines in this process. It does what a farm of
// machines does, payloads and results as bytes, and is what that is measured
// and tested against.
type InProcess struct {
	threads  int
	handlers *Handlers

	mu     sync.Mutex
	blobs  map[Digest]func() ([]byte, error)
	taking sync.Mutex // held by calls of Take
}

var _ Farm = (*InProcess)(nil)

// NewInProcess returns a farm of so many goroutines.
func NewInProcess(kinds Kinds, threads int) *InProcess {
	f := &InProcess{threads: max(threads, 1), blobs: map[Digest]func() ([]byte, error){}}
	f.handlers = NewHandlers(kinds, f)
	return f
}

// Share implements Farm.
func (f *InProcess) Share(_ context.Context, open func() ([]byte, error)) (Digest, error) {
	data, err := open()
	if err != nil {
		return Digest{}, err
	}
	d := DigestOf(data)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blobs[d] = open
	return d, nil
}

// Blob implements Env.
func (f *InProcess) Blob(_ context.Context, d Digest) ([]byte, error) {
	f.mu.Lock()
	open := f.blobs[d]
	f.mu.Unlock()
	if open == nil {
		return nil, fmt.Errorf("%s: %w", d.Short(), ErrNoBlob)
	}
	return open()
}

// Threads implements Env.
func (f *InProcess) Threads() int { return f.threads }

// Do implements Farm.
func (f *InProcess) Do(ctx context.Context, s Stage) error {
	h, err := f.handlers.Get(s.Kind)
	if err != nil {
		return err
	}
	var q Local
	for i, p := range s.Payloads {
		if err := q.Enqueue(ctx, Job{Work: s.Name, ID: i, Kind: s.Kind, Payload: p}); err != nil {
			return err
		}
	}
	return Run(ctx, &q, f.threads, func(ctx context.Context, j Job) error {
		result, err := Carry(ctx, h, j.Payload)
		if err != nil {
			return err
		}
		f.taking.Lock()
		defer f.taking.Unlock()
		return s.Take(j.ID, result)
	})
}

// Close closes the handlers.
func (f *InProcess) Close() error { return f.handlers.Close() }
