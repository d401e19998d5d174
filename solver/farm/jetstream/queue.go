package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/solver/farm"
)

// queue is the stream of jobs as a farm.Queue. The coordinator enqueues, and
// workers claim; for them the queue is never drained, since another stage may
// follow.
type queue struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	run     string
	worker  string        // who claims
	ackWait time.Duration // until an unextended lease is lost
	sent    atomic.Uint64
	busy    atomic.Int64

	mu       sync.Mutex
	consumer jetstream.Consumer // nil until the first claim and after errors
}

var _ farm.Queue = (*queue)(nil)

// Enqueue implements farm.Queue. It returns ErrNoRoom when the server is full
// and waits while it is away.
func (q *queue) Enqueue(ctx context.Context, jobs ...farm.Job) error {
	for _, j := range jobs {
		w := wireJob{Job: j}
		if len(j.Payload) > inlineLimit {
			d := farm.DigestOf(j.Payload)
			if err := putBlob(ctx, q.js, d.String(), j.Payload); err != nil {
				return err
			}
			w.Payload, w.Blob = nil, &d
		}
		data, err := json.Marshal(w)
		if err != nil {
			return err
		}
		id := fmt.Sprintf("%s/%d", q.run, q.sent.Add(1))
		if err := publish(ctx, q.js, jobsSubject, id, data); err != nil {
			return err
		}
	}
	return nil
}

// publish stores a message; the id makes a second attempt harmless.
func publish(ctx context.Context, js jetstream.JetStream, subject, id string, data []byte) error {
	return patiently(ctx, askLimit, func(ctx context.Context) error {
		_, err := js.Publish(ctx, subject, data, jetstream.WithMsgID(id))
		return err
	})
}

// claimLimit bounds one request for a job; another follows.
const claimLimit = 2 * time.Second

// Claim implements farm.Queue.
func (q *queue) Claim(ctx context.Context) (farm.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		msg, err := q.next(ctx)
		if err != nil {
			q.mu.Lock()
			q.consumer = nil // it may have been made again meanwhile
			q.mu.Unlock()
			pause(ctx, retryEvery)
			continue
		}
		if msg == nil {
			continue
		}
		l, w, err := q.read(msg)
		if err != nil {
			msg.Term() // another run's, or nothing that this program wrote
			continue
		}
		q.busy.Add(1)
		if w.Blob != nil {
			l.job.Payload, err = getBlob(ctx, q.js, w.Blob.String(), *w.Blob)
		}
		switch {
		case ctx.Err() != nil: // stopped meanwhile
			back, cancel := context.WithTimeout(context.WithoutCancel(ctx), askLimit)
			err = l.GiveBack(back)
			cancel()
		case err != nil:
			err = l.Fail(ctx, fmt.Errorf("payload: %w", err))
		default:
			return l, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// next asks the server for a job; nil when there was none for a while.
func (q *queue) next(ctx context.Context) (jetstream.Msg, error) {
	sub, cancel := context.WithTimeout(ctx, claimLimit)
	defer cancel()
	q.mu.Lock()
	cons := q.consumer
	q.mu.Unlock()
	if cons == nil {
		var err error
		if cons, err = q.js.Consumer(sub, jobsStream, workers); err != nil {
			return nil, err
		}
		q.mu.Lock()
		q.consumer = cons
		q.mu.Unlock()
	}
	return receive(sub, cons)
}

// receive waits for one message of a consumer; nil when none came before ctx
// ended. A message that the server sent at that very moment is returned all the
// same: left behind it would be lost for the consumer's AckWait.
func receive(ctx context.Context, cons jetstream.Consumer) (jetstream.Msg, error) {
	it, err := cons.Messages(jetstream.PullMaxMessages(1), jetstream.StopAfter(1))
	if err != nil {
		return nil, err
	}
	msg, err := it.Next(jetstream.NextContext(ctx))
	if err == nil {
		it.Stop()
		return msg, nil
	}
	// Drain tells the server that nobody waits any more and waits for its
	// answer. What it sent before that answer is here by then.
	it.Drain()
	if msg, late := it.Next(jetstream.NextMaxWait(askLimit)); late == nil {
		return msg, nil
	}
	if ctx.Err() != nil {
		err = nil
	}
	return nil, err
}

// read decodes a message; a long payload has still to be fetched.
func (q *queue) read(msg jetstream.Msg) (*lease, wireJob, error) {
	var w wireJob
	if len(msg.Data()) > maxMessage {
		return nil, w, errors.New("a job of more than a message")
	}
	if err := json.Unmarshal(msg.Data(), &w); err != nil {
		return nil, w, err
	}
	if run, _, _ := strings.Cut(w.Work, "/"); run != q.run {
		return nil, w, errors.New("a job of another run")
	}
	return &lease{q: q, msg: msg, job: w.Job, began: time.Now()}, w, nil
}

// lease is a job of the stream.
type lease struct {
	q     *queue
	msg   jetstream.Msg
	job   farm.Job
	began time.Time
	ended atomic.Bool
}

func (l *lease) Job() farm.Job { return l.job }

// ExtendEvery implements farm.Lease.
func (l *lease) ExtendEvery() time.Duration { return l.q.ackWait / 3 }

// Extend implements farm.Lease. A lease that ran out in spite of it is no
// loss: the result counts, whoever is first.
func (l *lease) Extend(context.Context) error {
	if err := l.msg.InProgress(); errors.Is(err, nats.ErrConnectionClosed) {
		return farm.ErrLeaseLost
	}
	return nil
}

// Done implements farm.Lease: it publishes the result and waits while the
// server is away.
func (l *lease) Done(ctx context.Context, result []byte) error {
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

// Fail implements farm.Lease: it reports the error, and the worker goes on.
func (l *lease) Fail(ctx context.Context, why error) error {
	return l.end(ctx, wireResult{Error: clean(why.Error())})
}

// GiveBack implements farm.Lease.
func (l *lease) GiveBack(ctx context.Context) error {
	return l.end(ctx, wireResult{GivenBack: true})
}

// end tells the coordinator and then the queue.
func (l *lease) end(ctx context.Context, r wireResult) error {
	if l.ended.Swap(true) {
		return farm.ErrLeaseLost
	}
	defer l.q.busy.Add(-1)
	r.Work, r.ID, r.Worker = l.job.Work, l.job.ID, l.q.worker
	r.Millis = float64(time.Since(l.began).Microseconds()) / 1000
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("%s/%s/%d", l.q.run, l.q.worker, l.q.sent.Add(1))
	if err := l.deliver(ctx, func() error { return publish(ctx, l.q.js, resultsSubject, id, data) }); err != nil {
		return err
	}
	l.msg.Ack() // one that is lost costs a second result
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
		if !pause(ctx, time.Second) {
			return context.Cause(ctx)
		}
	}
}
