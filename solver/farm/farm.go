// Package farm distributes long work over workers. The work is cut into jobs that
// can be done in any order and are idempotent: a second result for the same job
// equals the first.
//
// The owner of the work passes each [Stage] of jobs to a [Farm] and takes the results.
// Only the owner writes to a store. The store records which jobs are done, so a resumed
// run passes only the others.
//
// [InProcess] is the farm of the goroutines of this process. Package jetstream
// implements a farm of machines: its workers carry out the jobs of a [Kind], given a
// payload of a few kilobytes, and return results as bytes. [Progress] counts what is done.
package farm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Stage is a set of jobs of which none needs the result of another.
type Stage struct {
	// Name describes the jobs to the user.
	Name string
	// Payloads contains an entry for each job.
	Payloads [][]byte
	// Here does a job in the owner's memory, if the farm is in this process. Calls may be
	// concurrent.
	Here func(ctx context.Context, job int) error
	// Take is called with the result of each job that was done in another process,
	// once, in any order; calls don't overlap. An error ends the run.
	Take func(job int, result []byte) error
}

// Farm carries out jobs.
type Farm interface {
	// Share makes bytes available to the handlers of other processes and returns their
	// digest. open returns the bytes; it is called only if other processes take part.
	Share(ctx context.Context, open func() ([]byte, error)) (Digest, error)
	// Do returns when all jobs of the stage are done and their results taken, or
	// with the first error. Several stages may be in progress at the same time.
	Do(ctx context.Context, s Stage) error
}

// InProcess is a Farm of goroutines in this process; its value is the number of jobs done
// concurrently.
type InProcess int

var _ Farm = InProcess(0)

// Share implements [Farm]: jobs in this process need no shared bytes.
func (InProcess) Share(context.Context, func() ([]byte, error)) (Digest, error) {
	return "", nil
}

// Do implements [Farm]. The first job that fails ends the stage; its error is returned even
// if ctx had ended before.
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
				if !errors.Is(err, context.Canceled) {
					failed.CompareAndSwap(nil, &err)
				}
			}
			return err
		})
	}
	err := group.Wait()
	if lost := failed.Load(); lost != nil {
		return *lost
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
