package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
)

// Options describe a run. Server and Kind are required.
type Options struct {
	Server Server
	Title  string
	Kind   farm.Kind
	Memory uint64
	// AckWait is the time after which a silent worker's jobs go to others; 0 means a minute.
	AckWait time.Duration
	// MaxDeliver is the maximum number of deliveries of a job; 0 means 10.
	MaxDeliver int
	// Progress, if not nil, receives notes about the jobs. Its current stage is part of the status.
	Progress *farm.Progress
	// Log receives the names of workers; nil discards them.
	Log *slog.Logger
}

// Coordinator is the owner of a run: a [farm.Farm] over JetStream.
type Coordinator struct {
	o     Options
	run   string
	nc    *nats.Conn
	js    jetstream.JetStream
	began time.Time

	ctx      context.Context
	cancel   context.CancelCauseFunc
	group    sync.WaitGroup
	bucket   jetstream.ObjectStore
	handler  farm.Handler
	checkers chan struct{} // limits the number of results recomputed concurrently
	taking   sync.Mutex    // held during calls of Take; locked before mu

	mu         sync.Mutex
	stages     map[int]*stage
	begun      int                  // number of stages so far
	jobs, left int                  // of all stages so far, and unfinished ones
	enqueuing  int                  // number of stages being enqueued
	activity   uint64               // changes with every result and enqueued stage
	shared     map[farm.Digest]bool // in the object store
	members    map[string]*member   // by name
}

var _ farm.Farm = (*Coordinator)(nil)

type stage struct {
	farm.Stage
	taken []bool        // by job: its result is stored
	left  int           // number of jobs without a stored result
	done  chan struct{} // closed when left is 0
}

// member is a worker that has sent a result.
type member struct {
	WorkerStatus
	millis   float64   // total time of its jobs
	heard    time.Time // time of its last result
	checking bool
	trusted  bool // its first result is right, or the kind of job is Timed
}

// Start connects to the server, creates the streams and begins a run. The caller must close the
// coordinator. The error wraps [ErrServer] if the server cannot be used, and [ErrOtherRun] if another run
// uses it.
func Start(ctx context.Context, o Options) (*Coordinator, error) {
	o.AckWait, o.MaxDeliver = cmp.Or(o.AckWait, defaultAckWait), cmp.Or(o.MaxDeliver, defaultMaxDeliver)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	nc, err := o.Server.connect(ctx, "endwise coordinator")
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(askLimit))
	if err != nil {
		nc.Close()
		return nil, err
	}
	c := &Coordinator{
		o: o, run: newID(), nc: nc, js: js, began: time.Now(),
		checkers: make(chan struct{}, runtime.GOMAXPROCS(0)),
		stages:   map[int]*stage{}, shared: map[farm.Digest]bool{}, members: map[string]*member{},
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	if err = c.begin(ctx); err == nil {
		c.handler, err = o.Kind.Open(environment{c.bucket, cap(c.checkers)})
	}
	if err != nil {
		c.cancel(err)
		nc.Close()
		return nil, err
	}
	c.group.Go(c.watch)
	return c, nil
}

// begin replaces the streams of an earlier run and subscribes to results and requests for the status.
func (c *Coordinator) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*askLimit)
	defer cancel()
	for _, name := range []string{jobsStream, "OBJ_" + bucketName} {
		if err := c.clear(ctx, name); err != nil {
			return err
		}
	}
	if err := c.create(ctx); err != nil {
		return fmt.Errorf("%w %s: %s", ErrServer, c.o.Server, plainly(err))
	}
	if _, err := c.nc.Subscribe(resultSubject+c.run, c.receive); err != nil {
		return err
	}
	if _, err := c.nc.Subscribe(statusSubject, c.answerStatus); err != nil {
		return err
	}
	return c.nc.Flush()
}

// clear deletes the stream of an earlier run, if there is one. It returns an error if that run is
// in progress, or if another program made the stream.
func (c *Coordinator) clear(ctx context.Context, name string) error {
	s, err := c.js.Stream(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("%w %s: %s", ErrServer, c.o.Server, plainly(err))
	case s.CachedInfo().Config.Metadata[runKey] == "":
		return fmt.Errorf("%w %s: the stream %s there was not made by this program: use another server or account",
			ErrServer, c.o.Server, name)
	}
	if st, err := askStatus(ctx, c.nc); err == nil {
		return fmt.Errorf("%w, %s: %s, on %s since %s: wait for it to end, or use another server",
			ErrOtherRun, c.o.Server, st.Title, st.Host, st.Began.Local().Format("15:04"))
	}
	return c.js.DeleteStream(ctx, name)
}

// create creates the streams. The consumer's name contains the run's ID, so that workers of another
// run do not receive its jobs.
func (c *Coordinator) create(ctx context.Context) error {
	meta := map[string]string{runKey: c.run}
	jobs, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: jobsStream, Subjects: []string{jobsSubject}, Retention: jetstream.WorkQueuePolicy, Metadata: meta,
	})
	if err != nil {
		return err
	}
	_, err = jobs.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: c.run, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.o.AckWait,
		MaxDeliver: c.o.MaxDeliver, MaxAckPending: -1, MaxWaiting: 10_000,
	})
	if err != nil {
		return err
	}
	c.bucket, err = c.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucketName, Metadata: meta})
	return err
}

// Close ends the run, deletes its streams, informs the workers and returns handler.Close().
func (c *Coordinator) Close() error {
	c.cancel(errors.New("the run is over"))
	c.group.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	if s, err := c.js.Stream(ctx, jobsStream); err == nil && s.CachedInfo().Config.Metadata[runKey] == c.run {
		c.js.DeleteStream(ctx, jobsStream)
		c.js.DeleteObjectStore(ctx, bucketName)
	}
	c.nc.Publish(endSubject+c.run, nil)
	c.nc.FlushTimeout(time.Second)
	c.nc.Close()
	return c.handler.Close()
}

// joined returns a context that ends when ctx or the run ends, with the cause of the one that ended first. The
// caller must call release.
func (c *Coordinator) joined(ctx context.Context) (both context.Context, release func()) {
	both, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })
	return both, func() { stop(); cancel(nil) }
}

// Share implements [farm.Farm]. It stores the bytes in the object store, once per run.
func (c *Coordinator) Share(ctx context.Context, open func() ([]byte, error)) (farm.Digest, error) {
	data, err := open()
	if err != nil {
		return "", err
	}
	d := farm.DigestOf(data)
	c.mu.Lock()
	stored := c.shared[d]
	c.mu.Unlock()
	if stored {
		return d, nil
	}
	ctx, release := c.joined(ctx)
	defer release()
	if err := put(ctx, c.bucket, string(d), data); err != nil {
		return d, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shared[d] = true
	return d, nil
}

// Do implements [farm.Farm]. If the run ends first, Do returns the reason.
func (c *Coordinator) Do(ctx context.Context, s farm.Stage) error {
	n := len(s.Payloads)
	if n == 0 {
		return ctx.Err()
	}
	ctx, release := c.joined(ctx)
	defer release()
	st := &stage{Stage: s, taken: make([]bool, n), left: n, done: make(chan struct{})}
	c.mu.Lock()
	id := c.begun
	c.begun++
	c.stages[id] = st
	c.jobs += n
	c.left += n
	c.mu.Unlock()
	defer c.leave(id)
	if err := c.enqueue(ctx, id, s.Payloads); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	select {
	case <-st.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// enqueue publishes the jobs of a stage, given by its number in the run.
func (c *Coordinator) enqueue(ctx context.Context, stage int, payloads [][]byte) error {
	count := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.enqueuing += n
		c.activity++
	}
	count(1)
	defer count(-1)
	for i, payload := range payloads {
		data, err := json.Marshal(job{stage, i, payload})
		if err != nil {
			return err
		}
		// The server drops a second message with the same ID.
		id := fmt.Sprintf("%s/%d/%d", c.run, stage, i)
		err = retry(ctx, askLimit, func(ctx context.Context) error {
			_, err := c.js.Publish(ctx, jobsSubject, data, jetstream.WithMsgID(id))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// leave removes a stage. When it returns, no call of the stage's Take is in progress or will follow.
func (c *Coordinator) leave(id int) {
	c.taking.Lock()
	defer c.taking.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left -= c.stages[id].left
	delete(c.stages, id)
}

// receive handles a message with a result and answers it. The connection calls receive for one
// message at a time, so no result is stored twice.
func (c *Coordinator) receive(msg *nats.Msg) {
	var r result
	if !decode(msg.Data, &r) {
		return
	}
	r.Worker = engine.OneLine(r.Worker, maxName)
	if answer := c.handle(r); c.ctx.Err() == nil {
		msg.Respond([]byte(answer))
	}
}

// handle processes a result and returns the answer to its worker. It stores needed results of
// trusted workers, checks the first needed result of another worker, and ends the run at an error.
func (c *Coordinator) handle(r result) string {
	c.mu.Lock()
	c.activity++
	m := c.members[r.Worker]
	if m == nil {
		m = &member{WorkerStatus: WorkerStatus{Name: r.Worker}, trusted: c.o.Kind.Timed}
		c.members[r.Worker] = m
	}
	m.heard = time.Now()
	st := c.stages[r.Stage]
	open := st != nil && r.ID >= 0 && r.ID < len(st.taken) && !st.taken[r.ID] // needed
	check := open && r.Error == "" && !m.trusted && !m.checking
	if check {
		m.checking = true
	}
	trusted := m.trusted
	c.mu.Unlock()
	switch {
	case !open:
		return taken
	case r.Error != "":
		c.cancel(fmt.Errorf("%s, job %d: worker %s: %s", st.Name, r.ID, r.Worker, engine.OneLine(r.Error, maxReason)))
	case check:
		c.group.Go(func() { c.check(m, st, r) })
	case trusted:
		return c.take(m, st, r)
	}
	return wait
}

// check recomputes the first result of worker m. If it is right, the worker is trusted from now on;
// otherwise check ends the run.
func (c *Coordinator) check(m *member, st *stage, r result) {
	select {
	case c.checkers <- struct{}{}:
		defer func() { <-c.checkers }()
	case <-c.ctx.Done():
		return
	}
	own, err := farm.Run(c.ctx, c.handler, st.Payloads[r.ID])
	if err != nil {
		c.cancel(fmt.Errorf("%s, job %d, recomputed: %w", st.Name, r.ID, err))
		return
	}
	if d := farm.DigestOf(own); d != r.Digest {
		c.cancel(fmt.Errorf("worker %s is %w: for job %d of %s it returned %s, recomputed it is %s; "+
			"none of its results in this run was taken: stop that worker and run the same command again",
			r.Worker, ErrUntrusted, r.ID, st.Name, r.Digest.Short(), d.Short()))
		return
	}
	c.o.Log.Info("the first result of a worker is right", "worker", r.Worker)
	c.mu.Lock()
	defer c.mu.Unlock()
	m.trusted = true
}

// take passes a result to Stage.Take, unless the stage has ended, and returns the answer to the
// worker. If the result cannot be read or stored or has another digest, take ends the run.
func (c *Coordinator) take(m *member, st *stage, r result) string {
	data := r.Data
	if r.Blob != "" {
		var err error
		if data, err = get(c.ctx, c.bucket, r.Blob); err != nil {
			c.cancel(fmt.Errorf("%s, job %d: the result of worker %s: %w", st.Name, r.ID, r.Worker, err))
			return wait
		}
		defer c.bucket.Delete(c.ctx, r.Blob) // Close deletes it too
	}
	if d := farm.DigestOf(data); d != r.Digest {
		c.cancel(fmt.Errorf("worker %s: its result for job %d of %s has the digest %s, not %s",
			r.Worker, r.ID, st.Name, d.Short(), r.Digest.Short()))
		return wait
	}
	c.taking.Lock()
	defer c.taking.Unlock()
	c.mu.Lock()
	over := c.stages[r.Stage] != st || c.ctx.Err() != nil
	c.mu.Unlock()
	if over {
		return taken
	}
	if err := st.Take(r.ID, data); err != nil {
		c.cancel(err)
		return wait
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	st.taken[r.ID] = true
	c.left--
	if st.left--; st.left == 0 {
		close(st.done)
	}
	m.Jobs++
	m.millis += r.Millis
	return taken
}
