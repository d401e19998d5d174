package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm/natsserver"
)

// queue is the stream of jobs as a worker sees it.
type queue struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	run     string
	worker  string        // who claims
	ackWait time.Duration // until an unextended lease is lost
	sent    atomic.Uint64 // results
	inbox   inbox         // jobs

	mu   sync.Mutex
	held map[jobName]*lease // claimed and not ended
}

// jobName is what tells jobs apart.
type jobName struct {
	work string
	id   int
}

// hold notes that the job is in this worker's hands; false if it is already.
// The server gives a job out again when its worker stood still for longer than
// AckWait, and that may be to the same worker, come back. It goes on with what
// it has begun, and answers by the newer message: the older one may be gone.
func (q *queue) hold(l *lease) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if first := q.held[l.job.name()]; first != nil {
		first.msg = l.msg
		return false
	}
	if q.held == nil {
		q.held = map[jobName]*lease{}
	}
	q.held[l.job.name()] = l
	return true
}

// release forgets a lease that has ended.
func (q *queue) release(l *lease) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.held, l.job.name())
}

// busy is how many jobs are in this worker's hands.
func (q *queue) busy() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.held)
}

// publish stores a message; the id makes a second attempt harmless.
func publish(ctx context.Context, js jetstream.JetStream, subject, id string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return retry(ctx, askLimit, func(ctx context.Context) error {
		_, err := js.Publish(ctx, subject, data, jetstream.WithMsgID(id))
		return err
	})
}

// claimLimit bounds one request for a job; another follows.
const claimLimit = 2 * time.Second

// claim waits for a job and takes it. Its error is the context's, or says that
// the worker can do no more.
func (q *queue) claim(ctx context.Context) (*lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		msg, err := q.inbox.next(ctx, claimLimit)
		if err != nil && q.nc.IsClosed() {
			return nil, fmt.Errorf("%w: it ended the connection: %s", natsserver.ErrServer, natsserver.Plainly(err))
		}
		if err != nil {
			_ = engine.Pause(ctx, retryEvery)
			continue
		}
		if msg == nil {
			continue
		}
		l, ok := q.read(msg)
		if !ok {
			msg.Term()
			continue
		}
		if !q.hold(l) {
			continue
		}
		if d := l.job.Blob; d != nil {
			l.job.Payload, err = getBlob(ctx, q.js, d.String(), *d)
		}
		switch {
		case ctx.Err() != nil: // stopped meanwhile
			back, cancel := context.WithTimeout(context.WithoutCancel(ctx), askLimit)
			err = l.giveBack(back)
			cancel()
		case err != nil:
			err = l.fail(ctx, fmt.Errorf("payload: %w", err))
		default:
			return l, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// inbox is a durable consumer of a stream.
type inbox struct {
	js           jetstream.JetStream
	stream, name string

	mu       sync.Mutex
	consumer jetstream.Consumer // nil before the first message and after errors: it may be made again
}

// next waits so long for a message; nil when none came.
func (b *inbox) next(ctx context.Context, limit time.Duration) (msg jetstream.Msg, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	b.mu.Lock()
	cons := b.consumer
	b.mu.Unlock()
	if cons == nil {
		cons, err = b.js.Consumer(ctx, b.stream, b.name)
	}
	if err == nil {
		msg, err = receive(ctx, cons)
	}
	if err != nil {
		cons = nil
	}
	b.mu.Lock()
	b.consumer = cons
	b.mu.Unlock()
	return msg, err
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

// read decodes a message; a long payload has still to be fetched. ok is false for
// another run's, and for what this program did not write.
func (q *queue) read(msg jetstream.Msg) (l *lease, ok bool) {
	l = &lease{q: q, msg: msg, began: time.Now()}
	ok = decode(msg.Data(), &l.job)
	run, _, _ := strings.Cut(l.job.Work, "/")
	return l, ok && run == q.run
}
