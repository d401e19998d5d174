package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"endwise/engine/testenv"
	"endwise/solver/farm"
	"endwise/solver/farm/natsserver"
)

// impatient looks for missing bytes only a few times.
func impatient(t *testing.T) {
	was := blobAttempts
	blobAttempts = 3
	t.Cleanup(func() { blobAttempts = was })
}

// byHand is a worker's queue for a test that claims jobs itself.
func byHand(c *Coordinator, name string) *queue {
	return &queue{nc: c.nc, js: c.js, run: c.run, worker: name, ackWait: time.Minute, inbox: inbox{js: c.js, stream: jobsStream, name: workers}}
}

// handled is how many results a coordinator has handled.
func handled(c *Coordinator) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.results
}

// TestNothingIsTakenAfterTheEnd: once Do has returned, its owner may close what
// results are written to.
func TestNothingIsTakenAfterTheEnd(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1})
	ctx, cancel := context.WithCancel(t.Context())
	taken := 0
	done := handIn(ctx, c, make([][]byte, 1), func(int, []byte) error {
		taken++
		return nil
	})
	l, err := byHand(c, "late").claim(t.Context())
	testenv.OK(t, err)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("left with %v", err)
	}
	testenv.OK(t, l.done(t.Context(), []byte("too late")))
	eventually(t, "the result", func() bool {
		st, err := c.js.Stream(t.Context(), resultsStream)
		return err == nil && c.Status().Workers != nil && len(c.Status().Workers) == 1 && st.CachedInfo().State.Msgs == 0
	})
	if taken != 0 {
		t.Errorf("%d results were taken after the end", taken)
	}
}

// TestStoppedClaims: a job that the server hands out at the moment when whoever
// asked for it is stopped is not left with nobody until its AckWait is over.
func TestStoppedClaims(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1, AckWait: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	done := handIn(ctx, c, make([][]byte, 1), nil)
	q := byHand(c, "fickle")
	for i := range 200 {
		short, stop := context.WithTimeout(t.Context(), time.Duration(i)*10*time.Microsecond)
		l, err := q.claim(short)
		stop()
		if err == nil {
			err = l.giveBack(t.Context())
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	long, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if _, err := q.claim(long); err != nil {
		t.Errorf("nobody gets the job any more: %v", err)
	}
	cancel()
	<-done
}

// TestEqualLongResults: two jobs have the same long result. That the first has
// been taken and removed does not keep the second from being found.
func TestEqualLongResults(t *testing.T) {
	impatient(t)
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1, Attempts: 1})
	both := make(chan bool)
	taken := 0
	done := handIn(t.Context(), c, make([][]byte, 2), func(int, []byte) error {
		<-both
		taken++
		return nil
	})
	q := byHand(c, "twin")
	for range 2 {
		l, err := q.claim(t.Context())
		testenv.OK(t, err)
		testenv.OK(t, l.done(t.Context(), make([]byte, inlineLimit+1)))
	}
	close(both)
	if err := <-done; err != nil || taken != 2 {
		t.Errorf("%d of 2 were taken, %v", taken, err)
	}
}

// TestALostPayload: a job whose payload is gone from the server counts as
// failed, and a worker that is stopped while it looks for it gives it back.
func TestALostPayload(t *testing.T) {
	impatient(t)
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1, Attempts: 1})
	long := make([]byte, inlineLimit+1)
	done := handIn(t.Context(), c, [][]byte{long}, nil)
	pending := func() (waiting uint64, claimed int) {
		cons, err := c.js.Consumer(t.Context(), jobsStream, workers)
		testenv.OK(t, err)
		return cons.CachedInfo().NumPending, cons.CachedInfo().NumAckPending
	}
	eventually(t, "the job", func() bool { n, _ := pending(); return n == 1 })
	bucket, err := c.js.ObjectStore(t.Context(), bucketName)
	testenv.OK(t, err)
	testenv.OK(t, bucket.Delete(t.Context(), farm.DigestOf(long).String()))

	blobAttempts = 1 << 30
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() {
		_, err := byHand(c, "stopped").claim(ctx)
		stopped <- err
	}()
	eventually(t, "the claim", func() bool { _, n := pending(); return n == 1 })
	cancel()
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	eventually(t, "the job to be given back", func() bool { return handled(c) == 1 })

	// Enqueued again it has its payload again, until somebody removes it.
	eventually(t, "the job again", func() bool { n, _ := pending(); return n == 1 })
	testenv.OK(t, bucket.Delete(t.Context(), farm.DigestOf(long).String()))
	blobAttempts = 3
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, err := byHand(c, "unlucky").claim(ctx)
		stopped <- err
	}()
	failed := new(farm.FailedJobs)
	if err := <-done; !errors.As(err, &failed) || !strings.Contains(err.Error(), "worker unlucky: payload: ") {
		t.Errorf("a payload that is gone: %v", err)
	}
	cancel()
	<-stopped
}

// TestNamesOfWorkers: names that would make a mess of a log are nobody's.
func TestNamesOfWorkers(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := handIn(ctx, c, make([][]byte, 1), nil)
	eventually(t, "the stage", func() bool { return c.Status().Jobs == 1 })
	for _, name := range []string{"", "two\nlines", "\x1b[2J", strings.Repeat("x", maxName+1)} {
		data, err := json.Marshal(wireResult{Work: c.run + "/0", Worker: name, Error: "no luck"})
		testenv.OK(t, err)
		c.handle(data)
		if n := len(c.Status().Workers); n != 0 {
			t.Errorf("%q is a worker", name)
		}
		if name == "" {
			continue // the worker makes one up
		}
		if err := Work(ctx, WorkerOptions{Server: natsserver.Server{URL: c.o.Server.URL}, Name: name}); err == nil || !strings.Contains(err.Error(), "worker name") {
			t.Errorf("a worker called %q: %v", name, err)
		}
	}
	cancel()
	<-done
}

// TestAMissingLongResult keeps nobody waiting: the job is done again while the
// coordinator still looks for what the first worker said it stored.
func TestAMissingLongResult(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1})
	taken := make(chan int, 2)
	done := handIn(t.Context(), c, make([][]byte, 2), func(i int, _ []byte) error {
		taken <- i
		return nil
	})
	q := byHand(c, "forgetful")
	var leases [2]*lease
	for range leases {
		l, err := q.claim(t.Context())
		testenv.OK(t, err)
		leases[l.job.ID] = l
	}
	d := farm.DigestOf([]byte("long"))
	testenv.OK(t, leases[0].end(t.Context(), wireResult{Digest: &d, Long: true}))
	eventually(t, "the answer", func() bool { return handled(c) == 1 })
	testenv.OK(t, leases[1].done(t.Context(), []byte("short")))
	if i := <-taken; i != 1 {
		t.Errorf("job %d was taken first", i)
	}
	// What was missing comes late.
	late := wireResult{Work: c.stages[0].work, ID: 0, Digest: &d}
	testenv.OK(t, putBlob(t.Context(), c.js, late.blob(), []byte("long")))
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestManyAttempts: a job that fails is given up after as many attempts as the
// run allows, however many those are.
func TestManyAttempts(t *testing.T) {
	t.Parallel()
	const attempts = 300
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1, Attempts: attempts})
	done := handIn(t.Context(), c, make([][]byte, 1), nil)
	eventually(t, "the stage", func() bool { return c.Status().Jobs == 1 })
	fail := func(n int) {
		data, err := json.Marshal(wireResult{Work: c.run + "/0", Worker: "w", Error: "no luck"})
		testenv.OK(t, err)
		for range n {
			c.handle(data)
		}
	}
	fail(attempts - 1)
	if st := c.Status(); st.Failed != 0 {
		t.Error("the job was given up too early")
	}
	fail(1)
	if failed := new(farm.FailedJobs); !errors.As(<-done, &failed) || len(failed.Jobs) != 1 {
		t.Error("the job is tried for ever")
	}
}

// TestNewJobsAreNotGivenUp: the coordinator finds its queue idle, and before it
// looks at what is left there, jobs are enqueued.
func TestNewJobsAreNotGivenUp(t *testing.T) {
	t.Parallel()
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{}), Check: -1, AckWait: time.Hour})
	stage := func() <-chan error { return handIn(t.Context(), c, make([][]byte, 3), nil) }
	q := byHand(c, "w")
	finish := func(done <-chan error) {
		for len(done) == 0 {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			if l, err := q.claim(ctx); err == nil {
				testenv.OK(t, l.done(t.Context(), []byte("result")))
			}
			cancel()
		}
		testenv.OK(t, <-done)
	}
	finish(stage())
	var delivered uint64
	eventually(t, "an idle queue", func() bool {
		var idle bool
		var err error
		delivered, idle, err = c.look()
		testenv.OK(t, err)
		return idle
	})
	if delivered < 3 {
		t.Errorf("%d jobs were delivered, want 3 or more", delivered)
	}
	second := stage()
	eventually(t, "new jobs", func() bool { return c.sent.Load() >= 6 })
	c.recoverStalled(delivered)
	if st := c.Status(); st.Failed > 0 {
		t.Errorf("%d new jobs are given up", st.Failed)
	}
	finish(second)
}
