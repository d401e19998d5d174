package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/solver/farm"
	"endwise/solver/farm/natsserver"
)

// Options describe a run. URL or Embedded is needed, and Kinds.
type Options struct {
	Server   natsserver.Server
	Embedded *natsserver.Embedded
	// Title says what the run does, for people: the command line, say.
	Title string
	// Kinds are the kinds of job that the run may hand out.
	Kinds farm.Kinds
	// Memory is what a worker needs in bytes; 0 for next to nothing.
	Memory uint64
	// AckWait, Attempts and Check have the defaults of this package where they
	// are 0. A negative Check checks nothing.
	AckWait  time.Duration
	Attempts int
	Check    float64
	// Progress, if given, gets a note about the workers and is what status
	// shows.
	Progress *farm.Progress
	// Log hears of workers that come and go; nil for nobody.
	Log *slog.Logger
}

// Coordinator is the owner of a run: a farm.Farm over JetStream.
type Coordinator struct {
	o   Options
	run string
	nc  *nats.Conn
	js  jetstream.JetStream

	ctx    context.Context
	cancel context.CancelCauseFunc // ends the run
	group  sync.WaitGroup
	subs   []*nats.Subscription
	sent   atomic.Uint64 // jobs
	inbox  inbox         // results

	mu       sync.Mutex
	stages   []*stage
	blobs    map[farm.Digest]func() ([]byte, error)
	members  map[string]*member
	refused  map[string]bool // workers, told so in the log
	results  uint64          // handled so far
	began    time.Time
	checkers chan struct{}
	checks   int // under way or waiting
	fetches  chan struct{}

	taking   sync.Mutex // held by calls of Take and Undo
	handlers *farm.Handlers
}

var _ farm.Farm = (*Coordinator)(nil)

// stage is a farm.Stage under way or done.
type stage struct {
	farm.Stage
	id     int
	work   string // "RUN/STAGE"
	jobs   []jobState
	left   int
	failed []farm.FailedJob
	done   chan struct{}
	// over says that Do has returned: nothing is taken or enqueued any more.
	// It is written with Coordinator.mu and taking held.
	over bool
}

// jobState is what is known of a job. It is guarded by Coordinator.mu.
type jobState struct {
	sum      farm.Digest // of the first result
	worker   string      // who gave it
	failed   int         // attempts that ended in an error
	state    uint8
	enqueued bool
}

// States of a job.
const (
	open     = iota // no result yet
	answered        // a result, not taken yet
	taken
	lost // given up
)

// Start connects to the server, or to the embedded one, makes the streams anew
// and begins a run. It returns ErrServer or ErrOtherRun in a sentence.
func Start(ctx context.Context, o Options) (*Coordinator, error) {
	o.AckWait, o.Attempts, o.Check = cmp.Or(o.AckWait, DefaultAckWait), cmp.Or(o.Attempts, DefaultAttempts), cmp.Or(o.Check, DefaultCheck)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	nc, err := connected(ctx, &o)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(askLimit))
	if err != nil {
		nc.Close()
		return nil, err
	}
	c := &Coordinator{
		o: o, run: newID(), nc: nc, js: js, inbox: inbox{js: js, stream: resultsStream, name: coordinator}, began: time.Now(),
		blobs: map[farm.Digest]func() ([]byte, error){}, members: map[string]*member{}, refused: map[string]bool{},
		checkers: make(chan struct{}, runtime.GOMAXPROCS(0)), fetches: make(chan struct{}, maxFetches),
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.handlers = farm.NewHandlers(o.Kinds, localEnv{c})
	if err := c.begin(ctx); err != nil {
		c.cancel(err)
		nc.Close()
		return nil, err
	}
	c.group.Go(c.collect)
	c.group.Go(c.supervise)
	return c, nil
}

// connected connects to the server or the embedded one.
func connected(ctx context.Context, o *Options) (*nats.Conn, error) {
	const name = "endwise coordinator"
	if o.Embedded == nil {
		return o.Server.Connect(ctx, name)
	}
	o.Server = o.Embedded.Login()
	return o.Embedded.Connect(ctx, name)
}

// begin makes sure that nobody else uses the server, makes the streams and
// listens to the control messages.
func (c *Coordinator) begin(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	_, err := c.js.AccountInfo(asking)
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return fmt.Errorf("%w %s: JetStream is off there: start it with nats-server -js", natsserver.ErrServer, c.o.Server)
	}
	if err != nil {
		return fmt.Errorf("%w %s: %s", natsserver.ErrServer, c.o.Server, natsserver.Plainly(err))
	}
	if err := c.clear(ctx); err != nil {
		return err
	}
	for subject, answer := range map[string]nats.MsgHandler{
		helloSubject: c.answerWorker, beatSubject: c.answerWorker, troubleSubject: c.hearTrouble, statusSubject: c.answerStatus,
	} {
		sub, err := c.nc.Subscribe(subject, answer)
		if err != nil {
			return err
		}
		c.subs = append(c.subs, sub)
	}
	return c.nc.Flush()
}

// clear takes the place of a run that is over and makes empty streams.
func (c *Coordinator) clear(ctx context.Context) error {
	for _, name := range []string{jobsStream, resultsStream, "OBJ_" + bucketName} {
		var info *jetstream.StreamInfo
		err := retry(ctx, askLimit, func(ctx context.Context) error {
			s, err := c.js.Stream(ctx, name)
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				return nil
			}
			if err == nil {
				info = s.CachedInfo()
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%w %s: %w", natsserver.ErrServer, c.o.Server, err)
		}
		if info == nil {
			continue
		}
		run := info.Config.Metadata[runKey]
		if run == "" {
			return fmt.Errorf("%w %s: the stream %s there was not made by this program: use another server or account", natsserver.ErrServer, c.o.Server, name)
		}
		if st, err := askStatus(ctx, c.nc); err == nil {
			return fmt.Errorf("%w, %s: %s, on %s since %s: wait for it to end, or use another server",
				ErrOtherRun, c.o.Server, st.Title, st.Host, st.Began.Local().Format("15:04"))
		}
		// Nobody answers for it: it was disposable.
		err = retry(ctx, askLimit, func(ctx context.Context) error {
			if err := c.js.DeleteStream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return c.create(ctx)
}

// create makes the streams of this run.
func (c *Coordinator) create(ctx context.Context) error {
	meta := map[string]string{runKey: c.run, workKey: c.o.Title}
	return retry(ctx, 5*askLimit, func(ctx context.Context) error {
		jobs, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: jobsStream, Subjects: []string{jobsSubject}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Metadata: meta, Duplicates: 2 * time.Minute,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return fmt.Errorf("%w, %s", ErrOtherRun, c.o.Server)
		}
		if err != nil {
			return err
		}
		// The server gives a job to another worker when the one that has it is silent for
		// AckWait (lease.go), up to MaxDeliver times.
		_, err = jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.o.AckWait,
			MaxDeliver: c.o.Attempts, MaxAckPending: 100_000,
		})
		if err != nil {
			return err
		}
		results, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: resultsStream, Subjects: []string{resultsSubject}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Metadata: meta, Duplicates: 2 * time.Minute,
		})
		if err != nil {
			return err
		}
		if _, err = results.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: coordinator, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.o.AckWait, MaxAckPending: 1000,
		}); err != nil {
			return err
		}
		_, err = c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucketName, Metadata: meta, Storage: jetstream.FileStorage})
		return err
	})
}

// Close ends the run: workers are told, and the streams are removed.
func (c *Coordinator) Close() error {
	for _, s := range c.subs {
		s.Unsubscribe()
	}
	c.cancel(errors.New("the run is over"))
	c.group.Wait()
	end, _ := json.Marshal(welcome{Run: c.run})
	c.nc.Publish(endSubject, end)
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	// What cannot be removed now is by the next run.
	if s, err := c.js.Stream(ctx, jobsStream); err == nil && s.CachedInfo().Config.Metadata[runKey] == c.run {
		for _, name := range []string{jobsStream, resultsStream, "OBJ_" + bucketName} {
			if err := c.js.DeleteStream(ctx, name); err != nil && ctx.Err() != nil {
				break
			}
		}
	}
	c.nc.FlushTimeout(time.Second)
	c.nc.Close()
	return c.handlers.Close()
}

// Share implements farm.Farm.
func (c *Coordinator) Share(ctx context.Context, openBlob func() ([]byte, error)) (farm.Digest, error) {
	data, err := openBlob()
	if err != nil {
		return farm.Digest{}, err
	}
	d := farm.DigestOf(data)
	c.mu.Lock()
	_, known := c.blobs[d]
	c.blobs[d] = openBlob
	c.mu.Unlock()
	if known {
		return d, nil
	}
	ctx, stop := c.joined(ctx)
	defer stop()
	return d, putBlob(ctx, c.js, d.String(), data)
}

// joined ends with ctx or with the run, whichever is first.
func (c *Coordinator) joined(ctx context.Context) (context.Context, func()) {
	both, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })
	return both, func() { stop(); cancel(nil) }
}

// Do implements farm.Farm. Jobs that failed too often are a *farm.FailedJobs.
func (c *Coordinator) Do(ctx context.Context, s farm.Stage) error {
	if _, err := c.o.Kinds.Find(s.Kind); err != nil {
		return err
	}
	if len(s.Payloads) == 0 {
		return ctx.Err()
	}
	ctx, stop := c.joined(ctx)
	defer stop()
	st := &stage{Stage: s, jobs: make([]jobState, len(s.Payloads)), left: len(s.Payloads), done: make(chan struct{})}
	c.mu.Lock()
	st.id = len(c.stages)
	st.work = fmt.Sprintf("%s/%d", c.run, st.id)
	c.stages = append(c.stages, st)
	c.mu.Unlock()
	defer c.leave(st)
	for i := range s.Payloads {
		if err := c.enqueue(ctx, st, i); err != nil {
			return err
		}
	}
	select {
	case <-st.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(st.failed) > 0 {
		return &farm.FailedJobs{Stage: s.Name, Jobs: st.failed}
	}
	return nil
}

// leave ends a stage. It waits for a call of Take, and no other comes: the
// owner may close what it writes to.
func (c *Coordinator) leave(st *stage) {
	c.taking.Lock()
	defer c.taking.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	st.over = true
}

// enqueue adds a job to the queue. It returns ErrNoRoom when the server is full
// and waits while it is away.
func (c *Coordinator) enqueue(ctx context.Context, st *stage, job int) error {
	c.mu.Lock()
	st.jobs[job].enqueued = true
	c.mu.Unlock()
	j := wireJob{Work: st.work, ID: job, Kind: st.Kind, Payload: st.Payloads[job]}
	if len(j.Payload) > inlineLimit {
		d := farm.DigestOf(j.Payload)
		if err := putBlob(ctx, c.js, d.String(), j.Payload); err != nil {
			return err
		}
		j.Payload, j.Blob = nil, &d
	}
	return publish(ctx, c.js, jobsSubject, fmt.Sprintf("%s/%d", c.run, c.sent.Add(1)), j)
}

// requeue enqueues a job again, if it is still open.
func (c *Coordinator) requeue(st *stage, job int) {
	c.mu.Lock()
	again := st.jobs[job].state == open && !st.over
	c.mu.Unlock()
	if !again {
		return
	}
	if err := c.enqueue(c.ctx, st, job); err != nil {
		c.cancel(err)
	}
}

// find is the stage of a job of this run, nil for any other.
func (c *Coordinator) find(work string, job int) *stage {
	run, number, ok := strings.Cut(work, "/")
	id, err := strconv.Atoi(number)
	if !ok || err != nil || run != c.run {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if id < 0 || id >= len(c.stages) || job < 0 || job >= len(c.stages[id].jobs) {
		return nil
	}
	return c.stages[id]
}

// host is this machine's name.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}
