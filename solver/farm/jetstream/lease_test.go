package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine/testenv"
	"endwise/solver/farm/natsserver"
)

// fakeMessage is a job's message as far as a lease needs it.
type fakeMessage struct {
	jetstream.Msg
	extended int
	closed   bool
	acked    bool
}

func (m *fakeMessage) InProgress() error {
	m.extended++
	if m.closed {
		return nats.ErrConnectionClosed
	}
	return nil
}

func (m *fakeMessage) Ack() error { m.acked = true; return nil }

// fakeServer takes results, but not before a moment.
type fakeServer struct {
	jetstream.JetStream
	from time.Time
	got  []wireResult
}

func (s *fakeServer) Publish(_ context.Context, _ string, data []byte, _ ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if time.Now().Before(s.from) {
		return nil, nats.ErrTimeout
	}
	var r wireResult
	err := json.Unmarshal(data, &r)
	s.got = append(s.got, r)
	return &jetstream.PubAck{}, err
}

func fakeLease() (*lease, *fakeMessage, *fakeServer) {
	m, s := new(fakeMessage), new(fakeServer)
	q := &queue{js: s, run: "run", worker: "w", ackWait: time.Minute}
	return &lease{q: q, msg: m, job: wireJob{Work: "run/0", ID: 7}, began: time.Now()}, m, s
}

func TestLeasesAreExtended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, m, s := fakeLease()
		err := l.carryOut(t.Context(), func(context.Context, wireJob) ([]byte, error) {
			time.Sleep(70 * time.Second)
			return []byte("result"), nil
		})
		if err != nil || m.extended != 3 || !m.acked || len(s.got) != 1 || string(s.got[0].Result) != "result" {
			t.Errorf("extended %d times, results %+v, %v; want 3 times and the result", m.extended, s.got, err)
		}
	})
}

// TestAJobInHandIsNotStartedTwice: a worker stands still for longer than AckWait
// and is given its job once more. It goes on with what it has begun.
func TestAJobInHandIsNotStartedTwice(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1, AckWait: 200 * time.Millisecond, Attempts: 1000})
	taken := 0
	done := handIn(t.Context(), c, make([][]byte, 1), func(int, []byte) error {
		taken++
		return nil
	})
	q := byHand(c, "sleeper")
	first, err := q.claim(t.Context())
	testenv.OK(t, err)
	jobs, err := c.js.Consumer(t.Context(), jobsStream, workers)
	testenv.OK(t, err)
	again, stop := context.WithCancel(t.Context())
	second := make(chan *lease, 1)
	go func() {
		l, _ := q.claim(again)
		second <- l
	}()
	eventually(t, "the job to be given out again", func() bool {
		info, err := jobs.Info(t.Context())
		return err == nil && info.NumRedelivered == 1
	})
	eventually(t, "the second message", func() bool {
		select {
		case l := <-second:
			t.Fatalf("job %d is started twice", l.job.ID)
		default:
		}
		meta, err := first.message().Metadata()
		return err == nil && meta.NumDelivered > 1
	})
	if n := q.busy(); n != 1 {
		t.Errorf("%d jobs in hand, want 1", n)
	}
	testenv.OK(t, first.done(t.Context(), []byte("result")))
	if err := <-done; err != nil || taken != 1 || q.busy() != 0 {
		t.Errorf("%d results, %d jobs in hand, %v", taken, q.busy(), err)
	}
	stop()
	<-second
}

// TestWorkOnALostLeaseIsCancelled, and nobody is told anything.
func TestWorkOnALostLeaseIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, m, s := fakeLease()
		m.closed = true
		began := time.Now()
		err := l.carryOut(t.Context(), func(ctx context.Context, _ wireJob) ([]byte, error) {
			select {
			case <-ctx.Done():
			case <-time.After(time.Hour):
			}
			return []byte("result"), nil
		})
		if took := time.Since(began); !errors.Is(err, errLeaseLost) || took > time.Minute || len(s.got) > 0 || m.acked {
			t.Errorf("after %v: %v, results %+v", took, err, s.got)
		}
	})
}

func TestInterruptedJobsAreGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, m, s := fakeLease()
		ctx, cancel := context.WithCancel(t.Context())
		err := l.carryOut(ctx, func(ctx context.Context, _ wireJob) ([]byte, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if !errors.Is(err, context.Canceled) || len(s.got) != 1 || !s.got[0].GivenBack || s.got[0].ID != 7 || !m.acked {
			t.Errorf("results %+v, %v", s.got, err)
		}
	})
}

// TestAResultOutlastsTheEnd: a job that is done when the worker is stopped is
// handed in, for as long as endLimit.
func TestAResultOutlastsTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			away time.Duration
			done bool
		}{{endLimit - time.Second, true}, {endLimit + time.Second, false}} {
			l, _, s := fakeLease()
			began := time.Now()
			s.from = began.Add(c.away)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			err := l.carryOut(ctx, func(context.Context, wireJob) ([]byte, error) { return []byte("result"), nil })
			if done := len(s.got) == 1; done != c.done || done != (err == nil) {
				t.Errorf("a server that is %v away: done %v after %v, %v", c.away, done, time.Since(began), err)
			}
			if took := time.Since(began); took > endLimit+time.Second {
				t.Errorf("a server that is %v away was waited for for %v", c.away, took)
			}
		}
	})
}
