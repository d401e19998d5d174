package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
)

// WorkerOptions describe a worker.
type WorkerOptions struct {
	Server Server
	// Name is unique among the workers of a run; "" means a generated one.
	Name string
	// Threads is the number of jobs run concurrently, at least one.
	Threads int
	Memory  uint64      // in bytes, for the worker; 0 means no limit
	Kinds   []farm.Kind // of the jobs that the worker can run
	// Once makes Work return at the end of the first run.
	Once bool
	// Log receives the worker's actions; nil discards them.
	Log *slog.Logger
}

type worker struct {
	WorkerOptions
	nc *nats.Conn
	js jetstream.JetStream
}

// Work takes part in one run after another, or in one with Once, until ctx ends. It waits for a
// server and for a coordinator. If the worker cannot take part in a run, the error wraps
// [ErrRefused]; if the server ends the connection, it wraps [ErrServer].
func Work(ctx context.Context, o WorkerOptions) error {
	w := &worker{WorkerOptions: o}
	w.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	generated := fmt.Sprintf("%s-%d-%s", host(), os.Getpid(), newID()[:4])
	w.Name = engine.OneLine(cmp.Or(o.Name, generated), maxName)
	var err error
	w.nc, err = o.Server.connect(ctx, "endwise worker "+w.Name, nats.RetryOnFailedConnect(true))
	if err != nil {
		return err
	}
	defer w.nc.Close()
	if w.js, err = jetstream.New(w.nc, jetstream.WithDefaultTimeout(askLimit)); err != nil {
		return err
	}
	for {
		p, err := w.join(ctx)
		if err != nil {
			return err
		}
		w.Log.Info("taking part", "worker", w.Name, "run", p.run.Title, "threads", w.Threads)
		err = p.serve(ctx)
		w.Log.Info("the run is over", "worker", w.Name, "jobs done", p.done.Load())
		w.nc.FlushTimeout(time.Second)
		if err != nil || w.Once {
			return err
		}
	}
}

type part struct {
	*worker
	run      Status // when the worker joined
	consumer jetstream.Consumer
	bucket   jetstream.ObjectStore
	handler  farm.Handler
	done     atomic.Int64
	running  sync.Map // keys are [2]int of stage and ID
}

// join waits for a run and opens a handler for its jobs. Errors are as for Work, or of Kind.Open.
func (w *worker) join(ctx context.Context) (*part, error) {
	for logged := false; ; logged = true {
		run, err := askStatus(ctx, w.nc)
		if err == nil {
			i := slices.IndexFunc(w.Kinds, func(k farm.Kind) bool { return k.Name == run.Kind })
			if why := w.refusal(i, run); why != "" {
				return nil, fmt.Errorf("worker %s: %w: %s", w.Name, ErrRefused, why)
			}
			p := &part{worker: w, run: run}
			if p.consumer, err = w.js.Consumer(ctx, jobsStream, run.Run); err == nil {
				p.bucket, err = w.js.ObjectStore(ctx, bucketName)
			}
			if err == nil {
				p.handler, err = w.Kinds[i].Open(environment{p.bucket, max(w.Threads, 1)})
				return p, err
			}
		}
		if w.nc.IsClosed() {
			return nil, w.ended(err)
		}
		if !logged {
			w.Log.Info("waiting for work", "worker", w.Name, "server", w.Server.String(), "why", plainly(err))
		}
		if engine.Pause(ctx, retryEvery) != nil {
			return nil, ctx.Err()
		}
	}
}

// refusal returns the reason why the worker cannot take part in a run, "" if it can. i is the index
// of the run's kind in w.Kinds, or -1.
func (w *worker) refusal(i int, run Status) string {
	const same = ": use the same endwise everywhere"
	name, version := engine.OneLine(run.Kind, maxReason), engine.OneLine(run.Version, maxReason)
	switch {
	case i < 0:
		return fmt.Sprintf("it does not know jobs of the kind %q", name) + same
	case w.Kinds[i].Version != run.Version:
		return fmt.Sprintf("for jobs of the kind %q it has %s and this run needs %s",
			name, w.Kinds[i].Version, version) + same
	case w.Memory > 0 && w.Memory < run.Memory:
		return fmt.Sprintf("a worker of this run needs %.1f GB of memory, and this one may use %.1f GB: "+
			"give it more with --memory, or use another machine", float64(run.Memory)/1e9, float64(w.Memory)/1e9)
	}
	return ""
}

// ended returns the error for a connection that the server has ended.
func (w *worker) ended(err error) error {
	return fmt.Errorf("%w: it ended the connection: %s", ErrServer, plainly(err))
}

var errRunOver = errors.New("the run is over")

// serve runs jobs until the run is over, and closes the handler. It returns an error if ctx or the
// connection ends first.
func (p *part) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	end, err := p.nc.Subscribe(endSubject+p.run.Run, func(*nats.Msg) { cancel(errRunOver) })
	if err != nil {
		return errors.Join(err, p.handler.Close())
	}
	defer end.Unsubscribe()
	var group sync.WaitGroup
	group.Go(func() { p.awaitRemoval(ctx, cancel) })
	for range max(p.Threads, 1) {
		group.Go(func() { p.runJobs(ctx, cancel) })
	}
	group.Wait()
	err = context.Cause(ctx)
	if errors.Is(err, errRunOver) {
		err = nil
	}
	return errors.Join(err, p.handler.Close())
}

// awaitRemoval calls cancel if the streams of the run are removed without a message.
func (p *part) awaitRemoval(ctx context.Context, cancel context.CancelCauseFunc) {
	for engine.Pause(ctx, watchEvery) == nil {
		asking, stop := context.WithTimeout(ctx, askLimit)
		if _, err := p.js.Consumer(asking, jobsStream, p.run.Run); missing(err) {
			cancel(errRunOver)
		}
		stop()
	}
}

// runJobs runs jobs one by one until ctx ends. It calls cancel if the server ends the connection.
func (p *part) runJobs(ctx context.Context, cancel context.CancelCauseFunc) {
	for ctx.Err() == nil {
		msg, err := p.consumer.Next(jetstream.FetchMaxWait(watchEvery))
		switch {
		case err == nil:
			p.runJob(ctx, msg)
		case p.nc.IsClosed():
			cancel(p.ended(err))
		case !errors.Is(err, nats.ErrTimeout):
			_ = engine.Pause(ctx, retryEvery) // only the error of ctx
		}
	}
}

// runJob runs the job of a message and acknowledges the message when the coordinator has stored the
// result. A job that fails is delivered again, up to MaxDeliver times; then its error is the result.
func (p *part) runJob(ctx context.Context, msg jetstream.Msg) {
	var j job
	if !decode(msg.Data(), &j) {
		msg.Term() // do not deliver it again
		return
	}
	// After a pause of AckWait, a worker may receive a job again that is still in progress.
	key := [2]int{j.Stage, j.ID}
	if _, running := p.running.LoadOrStore(key, true); running {
		return
	}
	defer p.running.Delete(key)
	ctx, stop := p.reportProgress(ctx, msg)
	defer stop()
	began := time.Now()
	data, err := farm.Run(ctx, p.handler, j.Payload)
	millis := float64(time.Since(began).Microseconds()) / 1000
	r := result{Stage: j.Stage, ID: j.ID, Worker: p.Name, Millis: millis}
	switch meta, _ := msg.Metadata(); {
	case ctx.Err() != nil:
		msg.Nak()
		return
	case err != nil:
		p.Log.Error("job failed", "job", j.ID, "why", err.Error())
		if meta == nil || meta.NumDelivered < uint64(p.consumer.CachedInfo().Config.MaxDeliver) {
			msg.NakWithDelay(time.Second)
			return
		}
		r.Error = fmt.Sprintf("after %d attempts: %v", meta.NumDelivered, err)
	default:
		r.Digest, r.Data = farm.DigestOf(data), data
		if len(data) > inlineLimit {
			r.Data, r.Blob = nil, "result-"+newID()
			if err := put(ctx, p.bucket, r.Blob, data); err != nil {
				r.Error = err.Error()
			}
		}
		p.done.Add(1)
	}
	if p.deliver(ctx, r) {
		msg.Ack()
	} else {
		msg.Nak()
	}
}

// reportProgress reports that a job is in progress until jobCtx ends, with ctx or by stop.
func (p *part) reportProgress(ctx context.Context, msg jetstream.Msg) (jobCtx context.Context, stop func()) {
	jobCtx, stop = context.WithCancel(ctx)
	go func() {
		for engine.Pause(jobCtx, p.consumer.CachedInfo().Config.AckWait/3) == nil {
			msg.InProgress() // a lost report does no harm
		}
	}()
	return jobCtx, stop
}

// deliver sends a result repeatedly until it is taken; ok is false if ctx ends first.
func (p *part) deliver(ctx context.Context, r result) (ok bool) {
	r.Error = engine.OneLine(r.Error, maxReason)
	data, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	for {
		asking, cancel := context.WithTimeout(ctx, 3*askLimit)
		answer, err := p.nc.RequestWithContext(asking, resultSubject+p.run.Run, data)
		cancel()
		if err == nil && string(answer.Data) == taken {
			return true
		}
		if engine.Pause(ctx, retryEvery) != nil {
			return false
		}
	}
}
