package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
	"endwise/solver/farm/natsserver"
)

// WorkerOptions describe a worker.
type WorkerOptions struct {
	Server natsserver.Server
	// Name is unique among the workers of a run; "" makes one up.
	Name string
	// Threads is how many jobs are carried out at once.
	Threads int
	// Memory is what it may use in bytes; 0 for what is there.
	Memory uint64
	Kinds  farm.Kinds
	// Once makes Work return when a run that it took part in is over.
	Once bool
	// Log hears what the worker does; nil for nobody.
	Log *slog.Logger
}

// worker is one process that carries jobs out.
type worker struct {
	o  WorkerOptions
	nc *nats.Conn
	js jetstream.JetStream
	me hello
}

// Work takes part in run after run until ctx ends, whose error it returns then.
// It waits for a server and for a coordinator. A coordinator that does not
// want the worker is an error that wraps ErrRefused.
func Work(ctx context.Context, o WorkerOptions) error {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Name = cmp.Or(o.Name, fmt.Sprintf("%s-%d-%s", host(), os.Getpid(), newID()[:4]))
	if !fitName(o.Name) {
		return fmt.Errorf("worker name %q: want 1 to %d bytes of printable text", o.Name, maxName)
	}
	w := &worker{o: o, me: hello{Worker: o.Name, Host: host(), Threads: max(o.Threads, 1), Memory: o.Memory, Kinds: map[string]string{}}}
	for name, k := range o.Kinds {
		w.me.Kinds[name] = k.Version
	}
	if err := w.reach(ctx); err != nil {
		return err
	}
	defer w.nc.Close()
	for {
		run, err := w.join(ctx)
		if err != nil {
			return err
		}
		o.Log.Info("taking part", "worker", o.Name, "run", run.Title, "threads", w.me.Threads)
		jobs, err := w.serve(ctx, run)
		o.Log.Info("the run is over", "worker", o.Name, "jobs done", jobs)
		if err != nil || ctx.Err() != nil || o.Once {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return err
		}
	}
}

// reach connects, however long that takes. What is wrong with the options is
// an error at once.
func (w *worker) reach(ctx context.Context) error {
	if err := w.o.Server.Check(); err != nil {
		return err
	}
	for told := false; ; told = true {
		var err error
		if w.nc, err = w.o.Server.Connect(ctx, "endwise worker "+w.o.Name); err == nil {
			if w.js, err = jetstream.New(w.nc, jetstream.WithDefaultTimeout(askLimit)); err != nil {
				w.nc.Close()
			}
			return err
		}
		if !told && ctx.Err() == nil {
			w.o.Log.Warn("waiting for the server", "why", err.Error())
		}
		if engine.Pause(ctx, retryEvery) != nil {
			return ctx.Err()
		}
	}
}

// join asks to take part until a coordinator answers.
func (w *worker) join(ctx context.Context) (welcome, error) {
	for told := false; ; told = true {
		answer := w.ask(ctx, helloSubject, w.me)
		switch {
		case ctx.Err() != nil:
			return answer, ctx.Err()
		case answer.Refused != "":
			return answer, fmt.Errorf("worker %s: %w by the coordinator: %s", w.o.Name, ErrRefused, engine.OneLine(answer.Refused, maxReason))
		case answer.Run != "" && answer.AckWaitMS > 0:
			return answer, nil
		}
		if !told {
			w.o.Log.Info("waiting for work", "worker", w.o.Name, "server", w.o.Server.String())
		}
		if engine.Pause(ctx, retryEvery) != nil {
			return answer, ctx.Err()
		}
	}
}

// ask sends a hello; the answer is empty where none came.
func (w *worker) ask(ctx context.Context, subject string, h hello) (answer welcome) {
	data, err := json.Marshal(h)
	if err != nil {
		return welcome{}
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if msg, err := w.nc.RequestWithContext(ctx, subject, data); err != nil || !decode(msg.Data, &answer) {
		return welcome{}
	}
	return answer
}

// errRunOver ends a worker's part in a run.
var errRunOver = errors.New("the run is over")

// serve carries out jobs of one run until it is over or ctx ends.
func (w *worker) serve(ctx context.Context, run welcome) (jobs int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sub, err := w.nc.Subscribe(endSubject, func(msg *nats.Msg) {
		var over welcome
		if json.Unmarshal(msg.Data, &over) == nil && over.Run == run.Run {
			cancel(errRunOver)
		}
	})
	if err != nil {
		return 0, err
	}
	defer sub.Unsubscribe()
	h := farm.NewHandlers(w.o.Kinds, remoteEnv{w})
	q := &queue{nc: w.nc, js: w.js, run: run.Run, worker: w.o.Name, ackWait: time.Duration(run.AckWaitMS) * time.Millisecond,
		inbox: inbox{js: w.js, stream: jobsStream, name: workers}}
	var group sync.WaitGroup
	group.Go(func() { w.beat(ctx, cancel, q) })
	var done atomic.Int64
	work := func(ctx context.Context, j wireJob) ([]byte, error) {
		x, err := h.Get(j.Kind)
		if err != nil {
			return nil, err
		}
		result, err := farm.Carry(ctx, x, j.Payload)
		if err == nil {
			done.Add(1)
		} else if ctx.Err() == nil {
			w.o.Log.Error("job failed", "kind", j.Kind, "job", j.ID, "why", err.Error())
		}
		return result, err
	}
	for range w.me.Threads {
		group.Go(func() {
			for {
				l, err := q.claim(ctx)
				if err == nil {
					err = l.carryOut(ctx, work)
				}
				if err != nil {
					cancel(err) // the first one counts
					return
				}
			}
		})
	}
	group.Wait()
	if err = context.Cause(ctx); errors.Is(err, errRunOver) {
		err = nil
	}
	return int(done.Load()), errors.Join(err, h.Close())
}

// beat gives signs of life, and learns from their answers that another run has
// begun.
func (w *worker) beat(ctx context.Context, cancel context.CancelCauseFunc, q *queue) {
	for engine.Pause(ctx, beatEvery) == nil {
		h := w.me
		h.Run, h.Busy = q.run, q.busy()
		if answer := w.ask(ctx, beatSubject, h); answer.Run != "" && answer.Run != q.run {
			cancel(errRunOver)
		}
	}
}

// remoteEnv is what handlers find in a worker.
type remoteEnv struct{ w *worker }

func (e remoteEnv) Blob(ctx context.Context, d farm.Digest) ([]byte, error) {
	return getBlob(ctx, e.w.js, d.String(), d)
}

func (e remoteEnv) Threads() int { return e.w.me.Threads }
