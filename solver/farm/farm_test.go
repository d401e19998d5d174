package farm

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func jobs(n int) []Job {
	out := make([]Job, n)
	for i := range out {
		out[i] = Job{Work: "test", ID: i}
	}
	return out
}

func TestEveryJobIsDoneOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 5, 50} {
		var q Local
		q.Enqueue(t.Context(), jobs(30)...)
		done := make([]atomic.Int32, 30)
		err := Run(t.Context(), &q, workers, func(_ context.Context, j Job) error {
			done[j.ID].Add(1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d workers: job %d was done %d times", workers, i, n)
			}
		}
		if _, err := q.Claim(t.Context()); !errors.Is(err, ErrDrained) {
			t.Errorf("claim on a drained queue: %v", err)
		}
	}
}

func TestAFailedJobStopsTheRunAndGoesBack(t *testing.T) {
	var q Local
	q.Enqueue(t.Context(), jobs(10)...)
	broken := errors.New("broken")
	var done sync.Map
	err := Run(t.Context(), &q, 2, func(ctx context.Context, j Job) error {
		if j.ID == 4 {
			return broken
		}
		done.Store(j.ID, true)
		return nil
	})
	if !errors.Is(err, broken) || err.Error() != "test, job 4: broken" {
		t.Fatalf("got %v", err)
	}
	left := map[int]bool{}
	for {
		l, err := q.Claim(t.Context())
		if errors.Is(err, ErrDrained) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		left[l.Job().ID] = true
		l.Done(t.Context(), nil)
	}
	for i := range 10 {
		if _, ok := done.Load(i); ok == left[i] {
			t.Errorf("job %d: done %v, left in the queue %v", i, ok, left[i])
		}
	}
}

// TestAJobThatMeetsADrainedQueue fails with the error of another queue, which
// says nothing about its own.
func TestAJobThatMeetsADrainedQueue(t *testing.T) {
	var q Local
	q.Enqueue(t.Context(), jobs(1)...)
	err := Run(t.Context(), &q, 2, func(ctx context.Context, _ Job) error {
		_, err := new(Local).Claim(ctx)
		return err
	})
	if !errors.Is(err, ErrDrained) || len(q.waiting) != 1 {
		t.Errorf("%v, %d jobs wait; want the job's error, and the job back", err, len(q.waiting))
	}
}

// reader gives back what its kind found when it was opened.
type reader struct{ data []byte }

func (r reader) Work(context.Context, []byte) ([]byte, error) { return r.data, nil }
func (reader) Close() error                                   { return nil }

// TestOpeningAsksForBlobs opens a handler that needs shared bytes from the
// beginning, and asks for a kind that nobody knows.
func TestOpeningAsksForBlobs(t *testing.T) {
	data := []byte("shared")
	opened := 0
	f := NewInProcess(NewKinds(Kind{Name: "read", Open: func(env Env) (Handler, error) {
		opened++
		found, err := env.Blob(t.Context(), DigestOf(data))
		return reader{found}, err
	}}), 2)
	defer f.Close()
	if _, err := f.Share(t.Context(), func() ([]byte, error) { return data, nil }); err != nil {
		t.Fatal(err)
	}
	taken := 0
	err := f.Do(t.Context(), Stage{Kind: "read", Payloads: make([][]byte, 5), Take: func(_ int, result []byte) error {
		taken++
		if string(result) != "shared" {
			t.Errorf("the handler found %q", result)
		}
		return nil
	}})
	if err != nil || taken != 5 || opened != 1 {
		t.Errorf("%d results, opened %d times, %v", taken, opened, err)
	}
	if err := f.Do(t.Context(), Stage{Kind: "write", Payloads: make([][]byte, 1)}); err == nil || err.Error() != `unknown kind of job "write"; known are read` {
		t.Errorf("an unknown kind: %v", err)
	}
}

func TestInterruptedJobsGoBack(t *testing.T) {
	var q Local
	q.Enqueue(t.Context(), jobs(3)...)
	ctx, cancel := context.WithCancel(t.Context())
	err := Run(ctx, &q, 2, func(ctx context.Context, j Job) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if n := len(q.waiting); n != 3 {
		t.Errorf("%d jobs wait, want all 3", n)
	}
}

// TestClaimWaits claims on a queue whose only job is out: the claim waits and
// gets the job when it comes back.
func TestClaimWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Local
		ctx := t.Context()
		q.Enqueue(ctx, jobs(1)...)
		first, err := q.Claim(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan Lease)
		go func() {
			l, err := q.Claim(ctx)
			if err != nil {
				t.Error(err)
			}
			got <- l
		}()
		synctest.Wait()
		select {
		case <-got:
			t.Fatal("the job was claimed twice")
		default:
		}
		if err := first.GiveBack(ctx); err != nil {
			t.Fatal(err)
		}
		l := <-got
		for name, err := range map[string]error{"extend": first.Extend(ctx), "done": first.Done(ctx, nil), "give back": first.GiveBack(ctx)} {
			if !errors.Is(err, ErrLeaseLost) {
				t.Errorf("%s after giving back: %v", name, err)
			}
		}
		if err := l.Extend(ctx); err != nil {
			t.Error(err)
		}
		if err := l.Done(ctx, nil); err != nil {
			t.Error(err)
		}
	})
}

// leased is a queue of one job whose leases must be extended.
type leased struct {
	Local
	extended atomic.Int32
	lose     bool
}

type leasedLease struct {
	Lease
	q *leased
}

func (q *leased) Claim(ctx context.Context) (Lease, error) {
	l, err := q.Local.Claim(ctx)
	return leasedLease{l, q}, err
}

func (l leasedLease) ExtendEvery() time.Duration { return 20 * time.Second }

func (l leasedLease) Extend(ctx context.Context) error {
	l.q.extended.Add(1)
	if l.q.lose {
		return ErrLeaseLost
	}
	return l.Lease.Extend(ctx)
}

func TestLeasesAreExtended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &leased{}
		q.Enqueue(t.Context(), jobs(1)...)
		err := Run(t.Context(), q, 1, func(context.Context, Job) error {
			time.Sleep(70 * time.Second)
			return nil
		})
		if n := q.extended.Load(); err != nil || n != 3 {
			t.Errorf("extended %d times, %v; want 3 times", n, err)
		}
		q = &leased{lose: true}
		q.Enqueue(t.Context(), jobs(1)...)
		err = Run(t.Context(), q, 1, func(context.Context, Job) error {
			time.Sleep(70 * time.Second)
			return nil
		})
		if !errors.Is(err, ErrLeaseLost) {
			t.Errorf("a lost lease gave %v", err)
		}
	})
}

// distant is a queue that takes its time to hear of the end of a job.
type distant struct {
	Local
	away time.Duration
}

type distantLease struct {
	Lease
	q *distant
}

func (q *distant) Claim(ctx context.Context) (Lease, error) {
	l, err := q.Local.Claim(ctx)
	return distantLease{l, q}, err
}

func (l distantLease) Done(ctx context.Context, result []byte) error {
	select {
	case <-time.After(l.q.away):
		return l.Lease.Done(ctx, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TestAResultOutlastsTheEnd: a job that is done when the run is stopped is
// handed in, for as long as endLimit.
func TestAResultOutlastsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			away time.Duration
			done bool
		}{{endLimit - time.Second, true}, {endLimit + time.Second, false}} {
			q := &distant{away: c.away}
			q.Enqueue(t.Context(), jobs(1)...)
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now()
			err := Run(ctx, q, 1, func(context.Context, Job) error {
				time.AfterFunc(time.Millisecond, cancel)
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a queue that is %v away: %v", c.away, err)
			}
			if done := len(q.waiting)+q.leased == 0; done != c.done {
				t.Errorf("a queue that is %v away: done %v after %v", c.away, done, time.Since(began))
			}
			if took := time.Since(began); took > endLimit+time.Second {
				t.Errorf("a queue that is %v away was waited for for %v", c.away, took)
			}
		}
	})
}

func TestProgress(t *testing.T) {
	var none *Progress
	none.Begin("x", "y", 0, 1)
	none.Add(1)
	none.Set(1)
	if none.Stages(0) != nil {
		t.Error("a nil Progress counted")
	}
	synctest.Test(t, func(t *testing.T) {
		var p Progress
		p.Add(1) // before any stage: counted nowhere
		start := time.Now()
		p.Begin("solve", "masks", 10, 100)
		p.Add(5)
		p.Note("half done")
		time.Sleep(time.Second)
		p.Begin("verify", "values", 0, 7)
		p.Set(7)
		want := []Snapshot{
			{"solve", "masks", start, 15, 10, 100, "half done"},
			{"verify", "values", start.Add(time.Second), 7, 0, 7, ""},
		}
		for first := range 4 {
			if d := cmp.Diff(want[min(first, 2):], p.Stages(first), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("stages from %d:\n%s", first, d)
			}
		}
	})
}
