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

// echo gives each payload back.
type echo struct {
	work func(context.Context, []byte) error
}

func (e echo) Work(ctx context.Context, payload []byte) ([]byte, error) {
	return payload, e.work(ctx, payload)
}
func (echo) Close() error { return nil }

// bothWays runs a stage of n jobs in this process, once by its Here and once
// through payloads and results, and hands the jobs that were kept and the error
// to check.
func bothWays(t *testing.T, threads, n int, work func(ctx context.Context, job int) error, check func(kept []int, err error)) {
	t.Helper()
	for _, here := range []bool{false, true} {
		f := NewInProcess(NewKinds(Kind{Name: "echo", Open: func(Env) (Handler, error) {
			return echo{func(ctx context.Context, p []byte) error { return work(ctx, int(p[0])) }}, nil
		}}), threads)
		var mu sync.Mutex
		var kept []int
		keep := func(job int) error {
			mu.Lock()
			defer mu.Unlock()
			kept = append(kept, job)
			return nil
		}
		s := Stage{Name: "test", Kind: "echo", Payloads: make([][]byte, n)}
		for i := range s.Payloads {
			s.Payloads[i] = []byte{byte(i)}
		}
		if here {
			s.Here = func(ctx context.Context, job int) error {
				if err := work(ctx, job); err != nil {
					return err
				}
				return keep(job)
			}
		} else {
			s.Take = func(job int, result []byte) error {
				if len(result) != 1 || int(result[0]) != job {
					t.Errorf("job %d has the result %v", job, result)
				}
				return keep(job)
			}
		}
		err := f.Do(t.Context(), s)
		slices.Sort(kept)
		check(kept, err)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEveryJobIsDoneOnce(t *testing.T) {
	want := make([]int, 30)
	for i := range want {
		want[i] = i
	}
	for _, threads := range []int{0, 1, 5, 50} {
		bothWays(t, threads, len(want), func(context.Context, int) error { return nil }, func(kept []int, err error) {
			if err != nil || !slices.Equal(kept, want) {
				t.Errorf("%d threads: kept %v, %v", threads, kept, err)
			}
		})
	}
}

// TestAFailedJobEndsTheStage: what is being worked on is cancelled, and what is
// done is kept.
func TestAFailedJobEndsTheStage(t *testing.T) {
	broken := errors.New("broken")
	bothWays(t, 2, 10, func(ctx context.Context, job int) error {
		switch job {
		case 4:
			return broken
		case 5:
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}, func(kept []int, err error) {
		if !errors.Is(err, broken) || err.Error() != "test, job 4: broken" {
			t.Errorf("got %v", err)
		}
		// One of the first four may not have begun yet.
		if len(kept) < 3 || kept[2] > 3 || slices.Contains(kept, 4) {
			t.Errorf("kept %v", kept)
		}
	})
}

// TestAnInterruptedStage returns what its context ended with.
func TestAnInterruptedStage(t *testing.T) {
	why := errors.New("enough")
	for _, cause := range []error{why, nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		f := NewInProcess(nil, 2)
		err := f.Do(ctx, Stage{Name: "test", Payloads: make([][]byte, 5), Here: func(ctx context.Context, _ int) error {
			cancel(cause)
			<-ctx.Done()
			return ctx.Err()
		}})
		if want := stdcmp.Or(cause, context.Canceled); err != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// reader gives back what its kind found when it was opened.
type reader struct{ data []byte }

func (r reader) Work(context.Context, []byte) ([]byte, error) { return r.data, nil }
func (reader) Close() error                                   { return nil }

// TestOpeningAsksForBlobs opens a handler that needs shared bytes from the
// beginning, and asks for a kind that nobody knows.
func TestOpeningAsksForBlobs(t *testing.T) {
	var name Digest
	opened := 0
	f := NewInProcess(NewKinds(Kind{Name: "read", Open: func(env Env) (Handler, error) {
		opened++
		if _, err := env.Blob(t.Context(), Digest{9}); !errors.Is(err, ErrNoBlob) {
			t.Errorf("bytes that nobody shared: %v", err)
		}
		found, err := env.Blob(t.Context(), name)
		return reader{found}, err
	}}), 2)
	defer f.Close()
	for _, text := range []string{"other", "shared"} {
		var err error
		name, err = f.Share(t.Context(), func() ([]byte, error) { return []byte(text), nil })
		testenv.OK(t, err)
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

// TestInOrder: items are taken in their order up to the first that fails, wherever it
// does.
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
