// Package farm spreads long work over workers. The work is cut into jobs that
// can be done in any order and done twice without harm: a second result for the
// same job is the same as the first.
//
// There are two ways through it. Where workers share memory, the work stays
// where it is: a Queue hands out numbers, Run calls a function for each, and
// the function stores what it worked out. Where they do not, a job is a Kind, a
// name known to every program of the same version, and a payload of a few
// bytes; whoever claims it gives a result back as bytes. A Farm is that second
// way as the owner of the work sees it: it hands jobs in and takes results,
// and is alone in writing to a store. InProcess is a Farm of goroutines; the
// package jetstream has one of machines.
//
// A Queue hands the jobs out. The one here, Local, lives in the process and
// is nothing but a list; the one over a network has the same methods, which is
// why a claimed job is a lease that must be extended now and then, finished,
// or given back. The queue is disposable: what is done is known from the
// store, so a new run enqueues all jobs minus those.
package farm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Job is one piece of work: a number within a named piece of work and, where
// it may be carried out elsewhere, what to do. It is small enough to send.
type Job struct {
	Work string `json:"work"`
	ID   int    `json:"id"`
	// Kind and Payload say what to do; see Kind.
	Kind    string `json:"kind,omitempty"`
	Payload []byte `json:"payload,omitempty"`
}

// ErrDrained is returned by Claim when every job is done.
var ErrDrained = errors.New("no jobs are left")

// ErrLeaseLost is returned by the methods of a lease that has run out or has
// been finished already: someone else may have the job now.
var ErrLeaseLost = errors.New("the job is no longer ours")

// Queue hands out jobs.
type Queue interface {
	// Enqueue adds jobs.
	Enqueue(ctx context.Context, jobs ...Job) error
	// Claim waits for a job and takes it. It returns ErrDrained when all jobs
	// that were enqueued are done, and the context's error when that ends.
	Claim(ctx context.Context) (Lease, error)
}

// Lease is a claimed job. Exactly one of Done, Fail and GiveBack ends it.
type Lease interface {
	Job() Job
	// Extend says that the job is still being worked on. It must be called at
	// least every ExtendEvery of the queue.
	Extend(ctx context.Context) error
	// Done says that the job is done and hands its result in: nil where it is
	// stored already.
	Done(ctx context.Context, result []byte) error
	// Fail says that the job could not be done, and why. An error returned
	// from it ends the worker's run.
	Fail(ctx context.Context, why error) error
	// GiveBack hands the job back for another worker to claim.
	GiveBack(ctx context.Context) error
	// ExtendEvery is how often Extend is due; 0 for never.
	ExtendEvery() time.Duration
}

// Run is Serve for work that stores its results itself.
func Run(ctx context.Context, q Queue, workers int, work func(context.Context, Job) error) error {
	return Serve(ctx, q, workers, func(ctx context.Context, j Job) ([]byte, error) { return nil, work(ctx, j) })
}

// Serve claims jobs from a queue and works on them, with a number of workers
// in this process, until the queue is drained, a lease ends in an error or the
// context ends. A job that is interrupted is given back; what becomes of one
// that fails is the queue's affair. The first error is returned.
func Serve(ctx context.Context, q Queue, workers int, work func(context.Context, Job) ([]byte, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for {
				l, err := q.Claim(ctx)
				if errors.Is(err, ErrDrained) {
					return
				}
				if err == nil {
					err = carryOut(ctx, l, work)
				}
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// endLimit is how long a queue has to hear of the end of a job once the
// context is over.
const endLimit = 5 * time.Second

// carryOut does one job and ends its lease.
func carryOut(ctx context.Context, l Lease, work func(context.Context, Job) ([]byte, error)) error {
	stop := keep(ctx, l)
	result, err := work(ctx, l.Job())
	if lost := stop(); lost != nil && err == nil {
		err = lost
	}
	// The queue should hear of the end also when the context is over, or when
	// it ends while the queue is being told.
	told, cancel := outlast(ctx, endLimit)
	defer cancel()
	switch {
	case err == nil:
		return l.Done(told, result)
	case ctx.Err() == nil:
		return l.Fail(told, err)
	}
	if gerr := l.GiveBack(told); gerr != nil && !errors.Is(gerr, ErrLeaseLost) {
		err = errors.Join(err, gerr)
	}
	if errors.Is(err, ctx.Err()) {
		return err
	}
	return failed(l.Job(), err)
}

// outlast is a context that ends some time after ctx does.
func outlast(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(d, func() { cancel(context.Cause(ctx)) })
		context.AfterFunc(longer, func() { t.Stop() })
	})
	return longer, func() { stop(); cancel(nil) }
}

// failed names the job that an error comes from.
func failed(j Job, err error) error { return fmt.Errorf("%s, job %d: %w", j.Work, j.ID, err) }

// keep extends a lease until the returned function is called, which reports
// whether extending failed.
func keep(ctx context.Context, l Lease) (stop func() error) {
	every := l.ExtendEvery()
	if every <= 0 {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	result := make(chan error, 1)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				result <- nil
				return
			case <-tick.C:
				if err := l.Extend(ctx); err != nil && ctx.Err() == nil {
					result <- err
					return
				}
			}
		}
	}()
	return func() error {
		cancel()
		return <-result
	}
}

// Local is a queue inside the process. Its leases do not run out. The zero
// value is ready; it is safe for concurrent use.
type Local struct {
	mu      sync.Mutex
	waiting []Job
	leased  int
	changed chan struct{} // closed and replaced when waiting or leased change
}

var _ Queue = (*Local)(nil)

// Enqueue adds jobs; they are claimed in order.
func (q *Local) Enqueue(_ context.Context, jobs ...Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, jobs...)
	q.signal()
	return nil
}

func (q *Local) signal() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// Claim takes the first job that waits. When none does but some are being
// worked on, it waits: they may be given back.
func (q *Local) Claim(ctx context.Context) (Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.mu.Lock()
		if len(q.waiting) > 0 {
			j := q.waiting[0]
			q.waiting = q.waiting[1:]
			q.leased++
			q.mu.Unlock()
			return &localLease{q: q, job: j}, nil
		}
		if q.leased == 0 {
			q.mu.Unlock()
			return nil, ErrDrained
		}
		if q.changed == nil {
			q.changed = make(chan struct{})
		}
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

type localLease struct {
	q     *Local
	job   Job
	ended bool // guarded by q.mu
}

func (l *localLease) Job() Job { return l.job }

func (l *localLease) ExtendEvery() time.Duration { return 0 }

func (l *localLease) Extend(context.Context) error {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	if l.ended {
		return ErrLeaseLost
	}
	return nil
}

func (l *localLease) Done(context.Context, []byte) error { return l.end(false) }

// Fail gives the job back and ends the run: in the process, whatever went
// wrong would go wrong again.
func (l *localLease) Fail(_ context.Context, why error) error {
	if err := l.end(true); err != nil && !errors.Is(err, ErrLeaseLost) {
		why = errors.Join(why, err)
	}
	return failed(l.job, why)
}

func (l *localLease) GiveBack(context.Context) error { return l.end(true) }

func (l *localLease) end(back bool) error {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	if l.ended {
		return ErrLeaseLost
	}
	l.ended = true
	l.q.leased--
	if back {
		l.q.waiting = append([]Job{l.job}, l.q.waiting...)
	}
	l.q.signal()
	return nil
}
