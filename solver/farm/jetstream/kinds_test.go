package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"endwise/engine"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

// The tests run workers and servers in separate processes of this test binary, selected by
// its environment.
const (
	workerEnv = "ENDWISE_TEST_WORKER" // a workerSpec
	serverEnv = "ENDWISE_TEST_SERVER" // "PORT DIRECTORY"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(workerEnv); text != "" {
		os.Exit(runWorker(text))
	}
	if text := os.Getenv(serverEnv); text != "" {
		os.Exit(runServer(text))
	}
	// An upload that ends before the library's goroutine for it has begun to
	// look at the connection leaves that goroutine behind (nats.go 1.55).
	testenv.Main(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

// workerSpec describes a worker process.
type workerSpec struct {
	Server  Server
	Name    string
	Threads int
	Memory  uint64
	Version string // of its kind; "" for the right one
	// Lie is the number of right results before wrong ones; -1 means that all are right.
	Lie int
}

func runWorker(text string) int {
	var s workerSpec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	kind := mixKind
	if s.Version != "" {
		kind.Version = s.Version
	}
	var done atomic.Int64
	if s.Lie >= 0 {
		openTrue := kind.Open
		kind.Open = func(env farm.Env) (farm.Handler, error) {
			h, err := openTrue(env)
			return liar{h, &done, int64(s.Lie)}, err
		}
	}
	err := Work(ctx, WorkerOptions{
		Server: s.Server, Name: s.Name, Threads: s.Threads, Memory: s.Memory, Kinds: []farm.Kind{kind},
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// runServer runs only a NATS server until the process is killed.
func runServer(text string) int {
	o := &server.Options{Host: "127.0.0.1", NoSigs: true, JetStream: true}
	if _, err := fmt.Sscanf(text, "%d %s", &o.Port, &o.StoreDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	s, err := server.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s.ConfigureLogger()
	s.Start()
	s.WaitForShutdown()
	return 0
}

// mixKind turns numbers into bytes that depend only on them.
var mixKind = farm.Kind{Name: "mix", Version: "rules 1", Open: func(env farm.Env) (farm.Handler, error) { return mixer{env}, nil }}

// mixJob is the payload of mixKind.
type mixJob struct {
	Seed   uint64      `json:"seed"`
	Size   int         `json:"size"`
	Millis int         `json:"ms"`
	Blob   farm.Digest `json:"blob,omitempty"`
	Do     string      `json:"do,omitempty"` // "fail", "panic", "exit" or "once"
}

type mixer struct{ env farm.Env }

// running is the number of jobs "once" in progress; errTwice is the error of one that is
// started meanwhile.
var (
	running  atomic.Int64
	errTwice = errors.New("started twice")
)

func (m mixer) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j mixJob
	if err := json.Unmarshal(payload, &j); err != nil {
		return nil, err
	}
	switch j.Do {
	case "fail":
		return nil, errors.New("out of luck")
	case "panic":
		panic("out of order")
	case "exit":
		os.Exit(3)
	case "once":
		if running.Add(1) > 1 {
			return nil, errTwice
		}
		defer running.Add(-1)
	}
	// The result depends neither on the time nor on the name of the bytes.
	wait, blob := j.Millis, j.Blob
	j.Millis, j.Blob = 0, ""
	payload, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	if blob != "" {
		data, err := m.env.Blob(ctx, blob)
		if err != nil {
			return nil, err
		}
		payload = append(payload, data...)
	}
	if engine.Pause(ctx, time.Duration(wait)*time.Millisecond) != nil {
		return nil, ctx.Err()
	}
	out := make([]byte, j.Size)
	rand.NewChaCha8(sha256.Sum256(payload)).Read(out)
	return out, nil
}

func (mixer) Close() error { return nil }

// payloads returns the payloads of n jobs.
func payloads(n int, job func(i int) mixJob) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i], _ = json.Marshal(job(i))
	}
	return out
}

// handIn makes a coordinator do a stage of jobs and sends the result of Do. A nil take
// ignores the results.
func handIn(ctx context.Context, c *Coordinator, payloads [][]byte, take func(job int, result []byte) error) <-chan error {
	if take == nil {
		take = func(int, []byte) error { return nil }
	}
	done := make(chan error, 1)
	go func() {
		done <- c.Do(ctx, farm.Stage{Name: "test", Payloads: payloads, Take: take})
	}()
	return done
}

type liar struct {
	farm.Handler
	done *atomic.Int64
	lie  int64
}

func (l liar) Work(ctx context.Context, payload []byte) ([]byte, error) {
	out, err := l.Handler.Work(ctx, payload)
	if err == nil && l.done.Add(1) > l.lie {
		out[len(out)/2] ^= 1
	}
	return out, err
}

// process is a worker process or a server.
type process struct {
	cmd *exec.Cmd
	log string
}

// startWorker starts a worker process that ends with the test.
func startWorker(t testing.TB, s workerSpec) *process {
	t.Helper()
	text, err := json.Marshal(s)
	testenv.OK(t, err)
	self, err := os.Executable()
	testenv.OK(t, err)
	return startProcess(t, []string{workerEnv + "=" + string(text)}, self)
}

func startProcess(t testing.TB, env []string, command ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(command[0], command[1:]...), log: filepath.Join(t.TempDir(), "log")}
	out, err := os.Create(p.log)
	testenv.OK(t, err)
	defer out.Close()
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	testenv.OK(t, p.cmd.Start())
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			data, _ := os.ReadFile(p.log)
			t.Logf("%s:\n%s", filepath.Base(command[0]), data)
		}
	})
	return p
}

// kill kills the process.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

// exit waits for the process and returns its exit code and output.
func (p *process) exit(t *testing.T) (int, string) {
	t.Helper()
	p.cmd.Wait()
	data := testenv.ReadFile(t, p.log)
	return p.cmd.ProcessState.ExitCode(), string(data)
}

// eventually polls until f is true, with a limit for slow machines.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !f(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// portOf returns the port that an embedded server listens on.
func portOf(t *testing.T, e *Embedded) (port int) {
	t.Helper()
	_, err := fmt.Sscanf(e.Server.URL, "nats://127.0.0.1:%d", &port)
	testenv.OK(t, err)
	return port
}

// separate is a server in a separate process.
type separate struct {
	*process
	port int
	dir  string
}

// startServer starts a separate server at a port, 0 for a free one.
func startServer(t *testing.T, port int, dir string) *separate {
	t.Helper()
	self, err := os.Executable()
	testenv.OK(t, err)
	if port == 0 {
		e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir() + "/port"})
		testenv.OK(t, err)
		port = portOf(t, e)
		e.Close()
	}
	s := &separate{port: port, dir: dir}
	s.process = startProcess(t, []string{fmt.Sprintf("%s=%d %s", serverEnv, port, dir)}, self)
	eventually(t, "the server", func() bool {
		nc, err := s.login().connect(t.Context(), "probe")
		if err == nil {
			nc.Close()
		}
		return err == nil
	})
	return s
}

func (s *separate) login() Server {
	return Server{URL: fmt.Sprintf("nats://127.0.0.1:%d", s.port)}
}

// mixRun is two stages: short jobs, and jobs that need a shared blob, every other one with
// a long result. The blob depends on the results of the first stage.
type mixRun struct {
	short, long int
	millis      int
	// taken is called after every result with their number.
	taken func(n int)
}

// on runs the stages on a farm and returns the digest of all results in order.
func (r mixRun) on(ctx context.Context, f farm.Farm) (farm.Digest, error) {
	n := 0
	var all []byte
	stage := func(name string, jobs []mixJob) error {
		results := make([][]byte, len(jobs))
		list := payloads(len(jobs), func(i int) mixJob { return jobs[i] })
		err := f.Do(ctx, farm.Stage{Name: name, Payloads: list, Take: func(i int, result []byte) error {
			if results[i] != nil {
				return fmt.Errorf("result %d was taken twice", i)
			}
			results[i] = result
			n++
			if r.taken != nil {
				r.taken(n)
			}
			return nil
		}})
		for _, x := range results {
			all = append(all, farm.DigestOf(x)...)
		}
		return err
	}
	jobs := make([]mixJob, r.short)
	for i := range jobs {
		jobs[i] = mixJob{Seed: uint64(i), Size: 100, Millis: r.millis}
	}
	if err := stage("short", jobs); err != nil {
		return "", err
	}
	blob := append([]byte(nil), all...)
	d, err := f.Share(ctx, func() ([]byte, error) { return blob, nil })
	if err != nil {
		return d, err
	}
	jobs = make([]mixJob, 2*r.long)
	for i := range jobs {
		jobs[i] = mixJob{Seed: uint64(i), Size: inlineLimit + 5, Millis: r.millis, Blob: d}
		if i%2 == 1 {
			jobs[i].Size = 10
		}
	}
	if err := stage("long", jobs); err != nil {
		return d, err
	}
	return farm.DigestOf(all), nil
}

// alone returns the digest of the run in this process.
func (r mixRun) alone(t *testing.T) farm.Digest {
	t.Helper()
	r.millis, r.taken = 0, nil
	d, err := r.on(t.Context(), local{})
	testenv.OK(t, err)
	return d
}

// local does jobs in this process, one after the other.
type local map[farm.Digest][]byte

func (l local) Share(_ context.Context, open func() ([]byte, error)) (farm.Digest, error) {
	data, err := open()
	l[farm.DigestOf(data)] = data
	return farm.DigestOf(data), err
}

func (l local) Blob(_ context.Context, d farm.Digest) ([]byte, error) { return l[d], nil }
func (local) Threads() int                                            { return 1 }

func (l local) Do(ctx context.Context, s farm.Stage) error {
	for i, payload := range s.Payloads {
		data, err := mixer{l}.Work(ctx, payload)
		if err == nil {
			err = s.Take(i, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
