package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
)

// errLeaseLost means that a worker cannot keep or end the lease of a job any
// more: others get it.
var errLeaseLost = errors.New("the job is no longer ours")

// lease is a claimed job. done, fail or giveBack ends it.
type lease struct {
	q     *queue
	msg   jetstream.Msg // guarded by q.mu
	job   wireJob
	began time.Time
}

// message is the newest one by which the server gave the job out.
func (l *lease) message() jetstream.Msg {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	return l.msg
}

// endLimit is how long a worker that is stopped tries to say what became of a
// job.
const endLimit = 5 * time.Second

// carryOut does the job and ends the lease: a job that is interrupted is given
// back, one that fails is reported. An error ends the worker's run.
func (l *lease) carryOut(ctx context.Context, work func(context.Context, wireJob) ([]byte, error)) error {
	kept, stop := l.keep(ctx)
	result, err := work(kept, l.job)
	if err = errors.Join(err, stop()); errors.Is(err, errLeaseLost) {
		return err
	}
	// The coordinator should hear of the end also when the context is over, or
	// when it ends while the coordinator is being told.
	told, cancel := outlast(ctx, endLimit)
	defer cancel()
	switch {
	case err == nil:
		return l.done(told, result)
	case ctx.Err() == nil:
		return l.fail(told, err)
	}
	return errors.Join(ctx.Err(), l.giveBack(told))
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

// keep says three times in each AckWait that the job is being worked on, until
// stop is called. Where that cannot be said any more the context ends, and stop
// returns errLeaseLost.
func (l *lease) keep(ctx context.Context) (kept context.Context, stop func() error) {
	kept, cancel := context.WithCancel(ctx)
	result := make(chan error, 1)
	go func() {
		tick := time.NewTicker(l.q.ackWait / 3)
		defer tick.Stop()
		for {
			select {
			case <-kept.Done():
				result <- nil
				return
			case <-tick.C:
				// A lease that ran out in spite of it is no loss: the result
				// counts, whoever is first.
				if err := l.message().InProgress(); errors.Is(err, nats.ErrConnectionClosed) {
					result <- fmt.Errorf("%s, job %d: %w: %w", l.job.Work, l.job.ID, errLeaseLost, err)
					cancel()
					return
				}
			}
		}
	}()
	return kept, func() error {
		cancel()
		return <-result
	}
}

// done publishes the result; it waits while the server is away.
func (l *lease) done(ctx context.Context, result []byte) error {
	d := farm.DigestOf(result)
	r := wireResult{Work: l.job.Work, ID: l.job.ID, Digest: &d, Result: result}
	if len(result) > inlineLimit {
		r.Result, r.Long = nil, true
		if err := l.deliver(ctx, func() error { return putBlob(ctx, l.q.js, r.blob(), result) }); err != nil {
			return err
		}
	}
	return l.end(ctx, r)
}

// fail reports why the job could not be done, and the worker goes on.
func (l *lease) fail(ctx context.Context, why error) error {
	return l.end(ctx, wireResult{Error: engine.OneLine(why.Error(), maxReason)})
}

// giveBack leaves the job to another worker.
func (l *lease) giveBack(ctx context.Context) error {
	return l.end(ctx, wireResult{GivenBack: true})
}

// end tells the coordinator and then the queue.
func (l *lease) end(ctx context.Context, r wireResult) error {
	defer l.q.release(l)
	r.Work, r.ID, r.Worker = l.job.Work, l.job.ID, l.q.worker
	r.Millis = float64(time.Since(l.began).Microseconds()) / 1000
	id := fmt.Sprintf("%s/%s/%d", l.q.run, l.q.worker, l.q.sent.Add(1))
	if err := l.deliver(ctx, func() error { return publish(ctx, l.q.js, resultsSubject, id, r) }); err != nil {
		return err
	}
	l.message().Ack() // one that is lost costs a second result
	return nil
}

// deliver repeats f while the server has no room, which the coordinator is
// told: it ends the run.
func (l *lease) deliver(ctx context.Context, f func() error) error {
	for {
		err := f()
		if !errors.Is(err, ErrNoRoom) {
			return err
		}
		if data, err := json.Marshal(trouble{Run: l.q.run, Worker: l.q.worker, Error: err.Error()}); err == nil {
			l.q.nc.Publish(troubleSubject, data)
		}
		if engine.Pause(ctx, time.Second) != nil {
			return context.Cause(ctx)
		}
	}
}
