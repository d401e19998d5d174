package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine/testenv"
	"endwise/solver/farm"
	"endwise/solver/farm/natsserver"
)

// deep says whether the long forms are asked for.
var deep = os.Getenv("ENDWISE_DEEP") == "1"

// embedded starts a server that ends with the test.
func embedded(t *testing.T, o natsserver.EmbeddedOptions) *natsserver.Embedded {
	t.Helper()
	o.Dir = t.TempDir() + "/nats"
	e, err := natsserver.StartEmbedded(o)
	testenv.OK(t, err)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// begin starts a run that ends with the test.
func begin(t *testing.T, o Options) *Coordinator {
	t.Helper()
	if o.Kinds == nil {
		o.Kinds = farm.NewKinds(mixKind)
	}
	if o.Title == "" {
		o.Title = t.Name()
	}
	c, err := Start(t.Context(), o)
	testenv.OK(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestSameAsInProcess runs the same jobs on three worker processes and in this
// one, over an embedded server.
func TestSameAsInProcess(t *testing.T) {
	t.Parallel()
	run := mixRun{short: 100, long: 5}
	want := run.alone(t)
	e := embedded(t, natsserver.EmbeddedOptions{})
	var p farm.Progress
	p.Begin("mix", "jobs", 0, 110)
	c := begin(t, Options{Embedded: e, Check: 0.1, Progress: &p})
	for i := range 3 {
		startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: fmt.Sprintf("w%d", i), Threads: 1 + i, Lie: -1})
	}
	run.taken = func(int) { p.Add(1) }
	got, err := run.on(t.Context(), c)
	if err != nil || got != want {
		t.Errorf("digest %s, %v; want %s", got, err, want)
	}
	st, err := AskStatus(t.Context(), natsserver.Server{URL: e.URL()})
	testenv.OK(t, err)
	jobs := 0
	for _, w := range st.Workers {
		jobs += w.Jobs
	}
	if st.Title != t.Name() || st.Done != 110 || st.Jobs != 110 || st.JobsLeft != 0 || st.Failed != 0 || jobs < 110 || st.Rate <= 0 {
		t.Errorf("status %+v, %d results", st, jobs)
	}
	if note := p.Stages(0)[0].Note; !strings.Contains(note, "worker") {
		t.Errorf("the progress says %q about the workers", note)
	}
}

// TestEverythingGoesWrong runs jobs on a separate server while workers are
// killed and stand still past their time, and the server is killed and comes
// back with and without its disk.
func TestEverythingGoesWrong(t *testing.T) {
	t.Parallel()
	run := mixRun{short: 240, long: 5, millis: 5}
	if deep {
		run = mixRun{short: 6000, long: 50, millis: 10}
	}
	want := run.alone(t)
	dir := t.TempDir()
	s := startServer(t, 0, dir)
	c := begin(t, Options{Server: s.login(), AckWait: 2 * time.Second, Attempts: 1000})
	var crew []*process
	hire := func() *process {
		return startWorker(t, workerSpec{Server: s.login(), Name: fmt.Sprintf("w%d", len(crew)), Threads: 2, Lie: -1})
	}
	for range 3 {
		crew = append(crew, hire())
	}
	// What happens after how many results. Nothing waits for a time.
	step := max(run.short/6, 1)
	events := map[int]func(){
		step:     func() { crew[0].kill(); crew = append(crew, hire()) },
		2 * step: func() { crew[1].suspend(t) },
		3 * step: func() { s.kill(); s = startServer(t, s.port, dir) },
		4 * step: func() { crew[1].resume(t) },
		5 * step: func() {
			s.kill()
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
			s = startServer(t, s.port, dir)
		},
	}
	if deep {
		for k := range 40 {
			events[k*run.short/40+7] = func() { crew[len(crew)-1].kill(); crew = append(crew, hire()) }
		}
	}
	happen := make(chan func(), len(events))
	var group sync.WaitGroup
	group.Go(func() {
		for f := range happen {
			f()
		}
	})
	run.taken = func(n int) {
		if f := events[n]; f != nil {
			happen <- f
		}
	}
	got, err := run.on(t.Context(), c)
	close(happen)
	group.Wait()
	if err != nil || got != want {
		t.Errorf("digest %s, %v; want %s", got, err, want)
	}
}

// TestALiarIsFound gives jobs to a worker that lies from its fourth result on.
func TestALiarIsFound(t *testing.T) {
	t.Parallel()
	e := embedded(t, natsserver.EmbeddedOptions{})
	c := begin(t, Options{Embedded: e, Check: 0.5})
	startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: "pinocchio", Threads: 1, Lie: 3})
	kept := map[string]bool{}
	var err error
	for stage := 0; err == nil && stage < 20; stage++ {
		name := func(i int) string { return fmt.Sprint(stage, i) }
		err = c.Do(t.Context(), farm.Stage{
			Name: fmt.Sprintf("stage %d", stage), Kind: "mix", Payloads: payloads(10, func(i int) mixJob { return mixJob{Seed: uint64(100*stage + i), Size: 20} }),
			Take: func(i int, _ []byte) error { kept[name(i)] = true; return nil },
			Undo: func(i int) error { delete(kept, name(i)); return nil },
		})
	}
	if !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "worker pinocchio is not to be trusted: for job ") {
		t.Errorf("got %v", err)
	}
	if len(kept) > 0 {
		t.Errorf("%d of its results are still there", len(kept))
	}
	if err := c.Do(t.Context(), farm.Stage{Kind: "mix", Payloads: [][]byte{nil}}); !errors.Is(err, ErrUntrusted) {
		t.Errorf("the run goes on: %v", err)
	}
}

// TestOnlyWhatRestsOnALieIsUndone hands results in by hand: an honest worker's
// of the first stage stay, those of the second go.
func TestOnlyWhatRestsOnALieIsUndone(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		e := embedded(t, natsserver.EmbeddedOptions{})
		c := begin(t, Options{Embedded: e, Check: -1})
		kept := map[string]bool{}
		stages := make(chan error, 2)
		jobs := func(stage int) [][]byte {
			return payloads(3, func(i int) mixJob { return mixJob{Seed: uint64(10*stage + i), Size: 9} })
		}
		do := func(stage int) {
			stages <- c.Do(t.Context(), farm.Stage{
				Name: "by hand", Kind: "mix", Payloads: jobs(stage),
				Take: func(i int, _ []byte) error { kept[fmt.Sprint(stage, i)] = true; return nil },
				Undo: func(i int) error { delete(kept, fmt.Sprint(stage, i)); return nil },
			})
		}
		give := func(stage, job int, worker string, wrong byte) {
			out, err := mixer{}.Work(t.Context(), jobs(stage)[job])
			testenv.OK(t, err)
			out[0] ^= wrong
			d := farm.DigestOf(out)
			data, _ := json.Marshal(wireResult{Work: fmt.Sprintf("%s/%d", c.run, stage), ID: job, Worker: worker, Digest: &d, Result: out})
			c.handle(data)
		}
		waiting := func(stage int) bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.stages) > stage
		}
		go do(0)
		eventually(t, "the first stage", func() bool { return waiting(0) })
		give(0, 0, "honest", 0)
		give(0, 0, "honest", 0) // twice the same is no harm
		give(0, 1, "honest", 0)
		give(0, 2, "liar", 1)
		testenv.OK(t, <-stages)
		go do(1)
		eventually(t, "the second stage", func() bool { return waiting(1) })
		give(1, 0, "honest", 0)
		// The truth comes late, or the lie does.
		if late {
			give(0, 2, "honest", 0)
		} else {
			give(1, 0, "liar", 4)
		}
		err := <-stages
		if !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "worker liar") {
			t.Errorf("late %v: %v", late, err)
		}
		if len(kept) != 2 || !kept["0 0"] || !kept["0 1"] {
			t.Errorf("late %v: kept are %v", late, kept)
		}
	}
}

// TestFailingJobs: jobs that fail, panic or end their worker are listed, and
// all others are done.
func TestFailingJobs(t *testing.T) {
	t.Parallel()
	e := embedded(t, natsserver.EmbeddedOptions{})
	c := begin(t, Options{Embedded: e, AckWait: time.Second, Attempts: 3})
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { // whoever dies is started again
		for n := 0; ctx.Err() == nil; n++ {
			w := startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: fmt.Sprint("w", n), Threads: 1, Lie: -1})
			stop := context.AfterFunc(ctx, func() { w.cmd.Process.Kill() })
			w.cmd.Wait()
			stop()
		}
	})
	what := map[int]string{3: "fail", 7: "panic", 11: "exit"}
	jobs := payloads(20, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 10, Do: what[i]} })
	done := map[int]bool{}
	err := c.Do(t.Context(), farm.Stage{Name: "doomed", Kind: "mix", Payloads: jobs, Take: func(i int, _ []byte) error {
		done[i] = true
		return nil
	}})
	cancel()
	group.Wait()
	failed := new(farm.FailedJobs)
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	why := map[int]string{}
	for _, j := range failed.Jobs {
		why[j.ID] = j.Why
	}
	for id, want := range map[int]string{3: "out of luck", 7: "panic: out of order", 11: "3 workers in turn fell silent over it"} {
		if !strings.Contains(why[id], want) {
			t.Errorf("job %d: %q, want %q", id, why[id], want)
		}
	}
	if len(why) != 3 || len(done) != 17 || !strings.HasPrefix(err.Error(), "doomed: 3 of the jobs failed again and again; job ") {
		t.Errorf("%d failed, %d done: %v", len(why), len(done), err)
	}
}

// TestStoppedWorkersGiveBack stops a worker in the middle of a job that would
// take long; the job goes to another at once, not after AckWait.
func TestStoppedWorkersGiveBack(t *testing.T) {
	t.Parallel()
	e := embedded(t, natsserver.EmbeddedOptions{})
	c := begin(t, Options{Embedded: e, AckWait: time.Hour})
	first := startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: "first", Threads: 1, Lie: -1})
	result := handIn(t.Context(), c, payloads(10, func(int) mixJob { return mixJob{Size: 10, Millis: 200} }), nil)
	eventually(t, "a result", func() bool {
		st := c.Status()
		return st.Jobs == 10 && st.JobsLeft < 10
	})
	first.signal(t, syscall.SIGINT)
	if code, said := first.exit(t); code != 0 {
		t.Errorf("stopped: exit code %d: %s", code, said)
	}
	startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: "second", Threads: 4, Lie: -1})
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// TestANewCoordinatorTakesOver leaves a run without a word: the next one takes
// the server over, and the worker changes to it.
func TestANewCoordinatorTakesOver(t *testing.T) {
	t.Parallel()
	e := embedded(t, natsserver.EmbeddedOptions{})
	server := natsserver.Server{URL: e.URL()}
	first := begin(t, Options{Server: server})
	startWorker(t, workerSpec{Server: server, Name: "w", Threads: 1, Lie: -1})
	run := mixRun{short: 5, long: 1}
	want := run.alone(t)
	if got, err := run.on(t.Context(), first); err != nil || got != want {
		t.Fatalf("digest %s, %v", got, err)
	}
	if _, err := Start(t.Context(), Options{Server: server, Kinds: farm.NewKinds(mixKind)}); !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), t.Name()) {
		t.Errorf("while the first is there: %v", err)
	}
	for _, s := range first.subs { // as if it were dead
		s.Unsubscribe()
	}
	second := begin(t, Options{Server: server})
	if got, err := run.on(t.Context(), second); err != nil || got != want {
		t.Errorf("digest %s, %v", got, err)
	}
	// The first was only paused, and finds out.
	if err := <-handIn(t.Context(), first, make([][]byte, 1), nil); !errors.Is(err, ErrOtherRun) {
		t.Errorf("the first goes on: %v", err)
	}
}

// TestAFullServer: neither side's bytes fit.
func TestAFullServer(t *testing.T) {
	t.Parallel()
	e := embedded(t, natsserver.EmbeddedOptions{MaxBytes: 3 << 20})
	c := begin(t, Options{Embedded: e, Check: -1})
	startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: "w", Threads: 1, Lie: -1})
	err := <-handIn(t.Context(), c, payloads(1, func(int) mixJob { return mixJob{Size: 5 << 20} }), nil)
	if !errors.Is(err, ErrNoRoom) || !strings.Contains(err.Error(), "worker w") {
		t.Errorf("a long result: %v", err)
	}
	e = embedded(t, natsserver.EmbeddedOptions{MaxBytes: 3 << 20})
	c = begin(t, Options{Embedded: e})
	if _, err := c.Share(t.Context(), func() ([]byte, error) { return make([]byte, 5<<20), nil }); !errors.Is(err, ErrNoRoom) {
		t.Errorf("a long blob: %v", err)
	}
}

// TestServersThatAreNotFit are refused in a sentence.
func TestServersThatAreNotFit(t *testing.T) {
	t.Parallel()
	kinds := farm.NewKinds(mixKind)
	_, err := Start(t.Context(), Options{Server: natsserver.Server{URL: "nats://127.0.0.1:1"}, Kinds: kinds})
	if !errors.Is(err, natsserver.ErrServer) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("nobody there: %v", err)
	}
	if _, err := AskStatus(t.Context(), natsserver.Server{URL: "nats://127.0.0.1:1"}); !errors.Is(err, natsserver.ErrServer) {
		t.Errorf("status of nobody: %v", err)
	}
	e := embedded(t, natsserver.EmbeddedOptions{})
	if _, err := AskStatus(t.Context(), natsserver.Server{URL: e.URL()}); !errors.Is(err, ErrNoRun) {
		t.Errorf("status of no run: %v", err)
	}
	nc, err := e.Connect(t.Context(), "stranger")
	testenv.OK(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	testenv.OK(t, err)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: jobsStream, Subjects: []string{"something"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Embedded: e, Kinds: kinds}); !errors.Is(err, natsserver.ErrServer) || !strings.Contains(err.Error(), "was not made by this program") {
		t.Errorf("a stranger's stream: %v", err)
	}
	c := begin(t, Options{Embedded: embedded(t, natsserver.EmbeddedOptions{})})
	if err := c.Do(t.Context(), farm.Stage{Kind: "unknown", Payloads: [][]byte{nil}}); err == nil || !strings.Contains(err.Error(), `"unknown"; known are mix`) {
		t.Errorf("an unknown kind: %v", err)
	}
}

// TestRefusedWorkers are told why and end.
func TestRefusedWorkers(t *testing.T) {
	t.Parallel()
	e := embedded(t, natsserver.EmbeddedOptions{})
	begin(t, Options{Embedded: e, Memory: 2 << 30})
	for want, s := range map[string]workerSpec{
		`for jobs of the kind "mix" it has rules 2 and this run needs rules 1: use the same endwise everywhere`: {Version: "rules 2"},
		`a job needs 2.1 GB of memory and it may use 1.1 GB: give it more with --memory`:                        {Memory: 1 << 30},
	} {
		s.Server, s.Name, s.Threads, s.Lie = natsserver.Server{URL: e.URL()}, "other", 1, -1
		code, said := startWorker(t, s).exit(t)
		if code != 1 || !strings.Contains(said, "worker other: refused by the coordinator: "+want) {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
}
