package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine/testenv"
	"endwise/solver/farm"
)

// embedded starts a server that ends with the test.
func embedded(t *testing.T, o EmbeddedOptions) *Embedded {
	t.Helper()
	o.Dir = t.TempDir() + "/nats"
	e, err := StartEmbedded(o)
	testenv.OK(t, err)
	t.Cleanup(func() { testenv.OK(t, e.Close()) })
	return e
}

// begin starts a run that ends with the test.
func begin(t *testing.T, o Options) *Coordinator {
	t.Helper()
	o.Kind, o.Title = mixKind, t.Name()
	c, err := Start(t.Context(), o)
	testenv.OK(t, err)
	t.Cleanup(func() { testenv.OK(t, c.Close()) })
	return c
}

// hire starts a worker process that does not lie.
func hire(t *testing.T, s Server, name string, threads int) *process {
	return startWorker(t, workerSpec{Server: Server{URL: s.URL}, Name: name, Threads: threads, Lie: -1})
}

// TestSameAsInProcess runs the same jobs on three worker processes and in this one.
func TestSameAsInProcess(t *testing.T) {
	t.Parallel()
	run := mixRun{short: 100, long: 5}
	want := run.alone(t)
	e := embedded(t, EmbeddedOptions{})
	var p farm.Progress
	p.Begin("mix", "jobs", 0, 110)
	c := begin(t, Options{Server: e.Server, Progress: &p})
	for i := range 3 {
		hire(t, e.Server, fmt.Sprint("w", i), 1+i)
	}
	run.taken = func(int) { p.Add(1) }
	got, err := run.on(t.Context(), c)
	if err != nil || got != want {
		t.Errorf("digest %s, %v; want %s", got, err, want)
	}
	st, err := AskStatus(t.Context(), Server{URL: e.Server.URL})
	testenv.OK(t, err)
	jobs := 0
	for _, w := range st.Workers {
		jobs += w.Jobs
	}
	if st.Title != t.Name() || st.Progress.Done != 110 || st.Jobs != 110 || st.JobsLeft != 0 || jobs != 110 {
		t.Errorf("status %+v, %d results", st, jobs)
	}
	bucket, err := c.js.ObjectStore(t.Context(), bucketName)
	testenv.OK(t, err)
	if list, err := bucket.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%d objects are left, %v; want the shared one", len(list), err)
	}
	if n, err := os.ReadDir(filepath.Dir(e.dir)); err != nil || len(n) == 0 {
		t.Error("the server keeps nothing")
	}
}

// TestKilledWorkersAndServer runs jobs on a separate server while workers are killed and
// paused for longer than AckWait, and the server is killed and started again.
func TestKilledWorkersAndServer(t *testing.T) {
	t.Parallel()
	run := mixRun{short: 240, long: 5, millis: 5}
	if os.Getenv("ENDWISE_DEEP") == "1" {
		run = mixRun{short: 6000, long: 50, millis: 10}
	}
	want := run.alone(t)
	dir := t.TempDir()
	s := startServer(t, 0, dir)
	c := begin(t, Options{Server: s.login(), AckWait: 2 * time.Second, MaxDeliver: 1000})
	var crew []*process
	next := func() { crew = append(crew, hire(t, s.login(), fmt.Sprint("w", len(crew)), 2)) }
	for range 3 {
		next()
	}
	// What happens after how many results. Nothing waits for a time.
	step := run.short / 6
	events := map[int]func(){
		step:     func() { crew[0].kill(); next() },
		2 * step: func() { crew[1].suspend(t) },
		3 * step: func() { s.kill(); s = startServer(t, s.port, dir) },
		4 * step: func() { crew[1].resume(t) },
		5 * step: func() { crew[2].kill(); next() },
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

// TestAPausedWorker is paused twice for longer than AckWait in the middle of its only
// job: it receives the job again and does not start it twice.
func TestAPausedWorker(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{})
	c := begin(t, Options{Server: e.Server, AckWait: 300 * time.Millisecond, MaxDeliver: 1000})
	w := hire(t, e.Server, "sleeper", 2)
	done := handIn(t.Context(), c, payloads(1, func(int) mixJob { return mixJob{Size: 10, Millis: 3000, Do: "once"} }), nil)
	eventually(t, "the job", func() bool { return c.status().Held == 1 })
	for range 2 {
		w.suspend(t)
		time.Sleep(time.Second)
		w.resume(t)
		time.Sleep(100 * time.Millisecond)
	}
	testenv.OK(t, <-done)
	if said := string(testenv.ReadFile(t, w.log)); strings.Contains(said, errTwice.Error()) {
		t.Error(said)
	}
}

// TestALostServer comes back without its disk: the run ends, and the next one does
// what is left with the same worker.
func TestALostServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, 0, dir)
	first := begin(t, Options{Server: s.login()})
	hire(t, s.login(), "w", 1)
	jobs := payloads(10, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 10, Millis: 100} })
	done := map[int]bool{}
	some := make(chan bool, len(jobs))
	result := handIn(t.Context(), first, jobs, func(i int, _ []byte) error {
		done[i] = true
		some <- true
		return nil
	})
	<-some
	s.kill()
	testenv.OK(t, os.RemoveAll(dir))
	s = startServer(t, s.port, dir)
	if err := <-result; !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "has lost the jobs of this run") {
		t.Fatalf("got %v", err)
	}
	second := begin(t, Options{Server: s.login()})
	var left [][]byte
	for i, payload := range jobs {
		if !done[i] {
			left = append(left, payload)
		}
	}
	if len(left) == 0 || len(left) == len(jobs) {
		t.Errorf("%d of %d jobs are left", len(left), len(jobs))
	}
	testenv.OK(t, <-handIn(t.Context(), second, left, nil))
}

// TestAWrongResult ends the run and names its worker, and none of its results is taken.
func TestAWrongResult(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{})
	c := begin(t, Options{Server: e.Server})
	startWorker(t, workerSpec{Server: Server{URL: e.Server.URL}, Name: "pinocchio", Threads: 3, Lie: 0})
	err := <-handIn(t.Context(), c, payloads(10, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 20} }), func(i int, _ []byte) error {
		t.Errorf("the result of job %d was taken", i)
		return nil
	})
	if !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "worker pinocchio is not to be trusted: for job ") {
		t.Errorf("got %v", err)
	}
	if err := c.Do(t.Context(), farm.Stage{Payloads: [][]byte{nil}}); !errors.Is(err, ErrUntrusted) {
		t.Errorf("the run continues: %v", err)
	}
}

// TestFailingJobs: a job that fails, panics or ends its worker again and again ends the
// run; it is tried on other workers before.
func TestFailingJobs(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{
		"fail":  "job 3: worker w0: after 2 attempts: out of luck",
		"panic": "job 3: worker w0: after 2 attempts: panic: out of order",
		"exit":  "1 jobs were lost, or had no result after 2 deliveries",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			e := embedded(t, EmbeddedOptions{})
			c := begin(t, Options{Server: e.Server, AckWait: time.Second, MaxDeliver: 2})
			ctx, cancel := context.WithCancel(t.Context())
			var group sync.WaitGroup
			group.Go(func() { // a worker that dies is replaced
				for n := 0; ctx.Err() == nil; n++ {
					w := hire(t, e.Server, fmt.Sprint("w", n), 1)
					stop := context.AfterFunc(ctx, func() { w.cmd.Process.Kill() })
					w.cmd.Wait()
					stop()
				}
			})
			jobs := payloads(5, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 10, Do: map[int]string{3: what}[i]} })
			err := <-handIn(t.Context(), c, jobs, nil)
			cancel()
			group.Wait()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// TestStoppedWorkersReturnTheirJobs stops a worker in the middle of a job; the job goes to
// another immediately, not after AckWait.
func TestStoppedWorkersReturnTheirJobs(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{})
	c := begin(t, Options{Server: e.Server, AckWait: time.Hour})
	first := hire(t, e.Server, "first", 1)
	result := handIn(t.Context(), c, payloads(10, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 10, Millis: 200} }), nil)
	eventually(t, "a result", func() bool { return c.status().JobsLeft == 9 })
	first.signal(t, syscall.SIGINT)
	if code, said := first.exit(t); code != 0 {
		t.Errorf("stopped: exit code %d: %s", code, said)
	}
	hire(t, e.Server, "second", 4)
	testenv.OK(t, <-result)
}

// TestANewCoordinatorTakesOver leaves a run without a word: the next one takes the
// server over, and the worker changes to it.
func TestANewCoordinatorTakesOver(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{})
	first := begin(t, Options{Server: e.Server})
	hire(t, e.Server, "w", 1)
	run := mixRun{short: 5, long: 1}
	want := run.alone(t)
	if got, err := run.on(t.Context(), first); err != nil || got != want {
		t.Fatalf("digest %s, %v", got, err)
	}
	if _, err := Start(t.Context(), Options{Server: e.Server, Kind: mixKind}); !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), t.Name()) {
		t.Errorf("while the first is there: %v", err)
	}
	first.nc.Close() // as if it were dead
	second := begin(t, Options{Server: e.Server})
	if got, err := run.on(t.Context(), second); err != nil || got != want {
		t.Errorf("digest %s, %v", got, err)
	}
	if err := <-handIn(t.Context(), first, make([][]byte, 1), nil); err == nil {
		t.Error("the first continues without a connection")
	}
}

// TestTakeEndsWithDo: once Do has returned, its owner may close what
// results are written to.
func TestTakeEndsWithDo(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{})
	c := begin(t, Options{Server: e.Server})
	hire(t, e.Server, "late", 1)
	testenv.OK(t, <-handIn(t.Context(), c, payloads(1, func(int) mixJob { return mixJob{Size: 10} }), nil))
	ctx, cancel := context.WithCancel(t.Context())
	done := handIn(ctx, c, payloads(1, func(int) mixJob { return mixJob{Size: 10, Millis: 500} }), func(int, []byte) error {
		t.Error("a result was taken after the end")
		return nil
	})
	eventually(t, "the job", func() bool { return c.status().Held == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("left with %v", err)
	}
	eventually(t, "the result", func() bool { st := c.status(); return st.Held == 0 && st.Waiting == 0 })
}

// TestAFullServer: neither side's bytes fit.
func TestAFullServer(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{MaxBytes: 3 << 20})
	c := begin(t, Options{Server: e.Server})
	hire(t, e.Server, "w", 1)
	err := <-handIn(t.Context(), c, payloads(1, func(int) mixJob { return mixJob{Size: 5 << 20} }), nil)
	if err == nil || !strings.Contains(err.Error(), "worker w: the NATS server has no space left") {
		t.Errorf("a long result: %v", err)
	}
	c = begin(t, Options{Server: embedded(t, EmbeddedOptions{MaxBytes: 3 << 20}).Server})
	if _, err := c.Share(t.Context(), func() ([]byte, error) { return make([]byte, 5<<20), nil }); !errors.Is(err, ErrNoRoom) {
		t.Errorf("a long blob: %v", err)
	}
}

// TestUnusableServers are refused in a sentence.
func TestUnusableServers(t *testing.T) {
	t.Parallel()
	nobody := Server{URL: "nats://127.0.0.1:1"}
	if _, err := Start(t.Context(), Options{Server: nobody, Kind: mixKind}); !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("no server: %v", err)
	}
	if _, err := AskStatus(t.Context(), nobody); !errors.Is(err, ErrServer) {
		t.Errorf("status without a server: %v", err)
	}
	e := embedded(t, EmbeddedOptions{})
	if _, err := AskStatus(t.Context(), e.Server); !errors.Is(err, ErrNoRun) {
		t.Errorf("status of no run: %v", err)
	}
	nc, err := e.Server.connect(t.Context(), "stranger")
	testenv.OK(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	testenv.OK(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: jobsStream, Subjects: []string{"something"}})
	testenv.OK(t, err)
	if _, err := Start(t.Context(), Options{Server: e.Server, Kind: mixKind}); !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "was not made by this program") {
		t.Errorf("a stranger's stream: %v", err)
	}
}

// TestRefusedWorkers say why and end.
func TestRefusedWorkers(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{})
	begin(t, Options{Server: e.Server, Memory: 2 << 30})
	for want, s := range map[string]workerSpec{
		`for jobs of the kind "mix" it has rules 2 and this run needs rules 1: use the same endwise everywhere`: {Version: "rules 2"},
		`a worker of this run needs 2.1 GB of memory, and this one may use 1.1 GB: give it more with --memory`:  {Memory: 1 << 30},
	} {
		s.Server, s.Name, s.Threads, s.Lie = Server{URL: e.Server.URL}, "other", 1, -1
		code, said := startWorker(t, s).exit(t)
		if code != 1 || !strings.Contains(said, "worker other: refused: "+want) {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
}
