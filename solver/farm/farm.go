// Package farm distributes the jobs of a long solve. The owner of the solve divides it into stages,
// and a [Stage] into jobs that can be run in any order. It passes each stage to a [Farm] and stores
// the results. Only the owner writes to a store. The store records which jobs are done, so a
// resumed run passes only the others.
//
// [InProcess] is a farm of goroutines in this process. Package jetstream implements a farm of
// machines: its workers run the jobs of a [Kind], from payloads of a few kilobytes to results.
package farm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Stage is a set of independent jobs.
type Stage struct {
	// Name describes the jobs to the user.
	Name string
	// Payloads contains an entry for each job.
	Payloads [][]byte
	// Here runs a job, given by its index in Payloads, in the owner's process and stores its
	// result. Only an InProcess farm calls it, concurrently.
	Here func(ctx context.Context, job int) error
	// Take stores the result of a job that was run in another process. Other farms call it once for
	// each job, in any order and not concurrently. An error ends the run.
	Take func(job int, result []byte) error
}

// Farm runs jobs.
type Farm interface {
	// Share makes the bytes that open returns available to the handlers of other processes, by
	// [Env], and returns their digest. InProcess does not call open and returns no digest.
	Share(ctx context.Context, open func() ([]byte, error)) (Digest, error)
	// Do runs the jobs of a stage. It returns when all results are stored, or with an error.
	// Several stages may run concurrently.
	Do(ctx context.Context, s Stage) error
}

// InProcess is a [Farm] of this process. Its value is the number of concurrent jobs, at least one.
type InProcess int

var _ Farm = InProcess(0)

// Share implements [Farm].
func (InProcess) Share(context.Context, func() ([]byte, error)) (Digest, error) {
	return "", nil
}

// Do implements [Farm]. It returns the first error of a job, which ends the stage, or the cause of ctx.
func (n InProcess) Do(ctx context.Context, s Stage) error {
	group, jobs := errgroup.WithContext(ctx)
	group.SetLimit(max(int(n), 1))
	var failed atomic.Pointer[error]
	for i := range s.Payloads {
		group.Go(func() error {
			err := jobs.Err()
			if err == nil {
				err = s.Here(jobs, i)
			}
			if err != nil {
				err = fmt.Errorf("%s, job %d: %w", s.Name, i, err)
				if !errors.Is(err, context.Canceled) { // jobs has been cancelled
					failed.CompareAndSwap(nil, &err)
				}
			}
			return err
		})
	}
	err := group.Wait()
	if first := failed.Load(); first != nil {
		return *first
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
