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
		if err := l.done(t.Context(), nil); !errors.Is(err, errLeaseLost) {
			t.Errorf("done after giving back: %v", err)
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
