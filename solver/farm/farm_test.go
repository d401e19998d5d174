package farm

import (
	stdcmp "cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// inProcess does a stage of n jobs with work and returns the jobs that were done, in
// ascending order, and the error.
func inProcess(t *testing.T, threads, n int, work func(ctx context.Context, job int) error) (done []int, err error) {
	t.Helper()
	var mu sync.Mutex
	err = InProcess(threads).Do(t.Context(), Stage{Name: "test", Payloads: make([][]byte, n), Here: func(ctx context.Context, job int) error {
		err := work(ctx, job)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, job)
		}
		return err
	}})
	slices.Sort(done)
	return done, err
}

func TestEveryJobIsDoneOnce(t *testing.T) {
	want := make([]int, 30)
	for i := range want {
		want[i] = i
	}
	for _, threads := range []int{0, 1, 5, 50} {
		done, err := inProcess(t, threads, len(want), func(context.Context, int) error { return nil })
		if err != nil || !slices.Equal(done, want) {
			t.Errorf("%d threads: done %v, %v", threads, done, err)
		}
	}
}

// A failed job ends the stage: jobs in progress are cancelled, and finished ones are kept.
func TestAFailedJobEndsTheStage(t *testing.T) {
	broken := errors.New("broken")
	done, err := inProcess(t, 2, 10, func(ctx context.Context, job int) error {
		switch job {
		case 4:
			return broken
		case 5:
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	if !errors.Is(err, broken) || err.Error() != "test, job 4: broken" {
		t.Errorf("got %v", err)
	}
	// One of the first four may not have begun yet.
	if len(done) < 3 || done[2] > 3 || slices.Contains(done, 4) {
		t.Errorf("done %v", done)
	}
}

// An interrupted stage returns the error of its context.
func TestAnInterruptedStage(t *testing.T) {
	why := errors.New("enough")
	for _, cause := range []error{why, nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := InProcess(2).Do(ctx, Stage{Name: "test", Payloads: make([][]byte, 5), Here: func(ctx context.Context, _ int) error {
			cancel(cause)
			<-ctx.Done()
			return ctx.Err()
		}})
		if want := stdcmp.Or(cause, context.Canceled); err != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// Items are taken in order up to the first that fails, in each of the steps.
func TestInOrder(t *testing.T) {
	broken := errors.New("broken")
	for bad, taken := range map[string]int{"": 20, "send": 5, "work": 5, "take": 6} {
		fail := func(where string, i int) error {
			if where == bad && i == 5 {
				return broken
			}
			return nil
		}
		each := func(send func(int) error) error {
			for i := range 20 {
				err := fail("send", i)
				if err == nil {
					err = send(i)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
		var got []int
		err := InOrder(t.Context(), each, func(i int) error { return fail("work", i) }, func(i int) error {
			got = append(got, i)
			return fail("take", i)
		})
		if errors.Is(err, broken) != (bad != "") || len(got) != taken || !slices.IsSorted(got) {
			t.Errorf("failing to %s: took %v, %v", bad, got, err)
		}
	}
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
		p.Add(1) // before any stage: ignored
		start := time.Now()
		p.Begin("solve", "masks", 10, 100)
		p.Add(5)
		p.Note("half done")
		time.Sleep(time.Second)
		p.Begin("verify", "values", 0, 7)
		p.Set(7)
		want := []Snapshot{
			{"solve", "masks", start, 15, 10, 100, false, "half done"},
			{"verify", "values", start.Add(time.Second), 7, 0, 7, false, ""},
		}
		for first := range 4 {
			if d := cmp.Diff(want[min(first, 2):], p.Stages(first), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("stages from %d:\n%s", first, d)
			}
		}
	})
}

// If a job cannot save its result after the stage was cancelled, Do returns its error.
func TestDoReturnsFailureOfCancelledStage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	broken := errors.New("broken")
	ended := make(chan struct{})
	err := InProcess(2).Do(ctx, Stage{Name: "test", Payloads: make([][]byte, 2), Here: func(ctx context.Context, job int) error {
		if job == 0 {
			cancel()
			defer close(ended)
			return ctx.Err()
		}
		<-ended
		return broken
	}})
	if !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}
