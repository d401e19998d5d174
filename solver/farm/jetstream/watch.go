package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
)

const (
	watchEvery = time.Second // between two checks of the queue

	// The run ends after maxBroken successive checks in which JetStream does not work. JetStream
	// is missing for a moment when a server starts, and permanently if its disk is full.
	maxBroken = 30
	// The run ends after maxIdle successive checks with unfinished jobs but none waiting or held.
	maxIdle = 5

	resumes = "finished jobs are stored, and the same command resumes" // of an ended run
)

// watch ends the run if the server has lost it or delivers no more jobs.
func (c *Coordinator) watch() {
	idle, broken := 0, 0
	var before uint64
	for engine.Pause(c.ctx, watchEvery) == nil {
		info, err := c.consumerInfo()
		switch {
		case c.ctx.Err() != nil:
			return
		case missing(err):
			c.lost("it has lost the jobs of this run, or another run has taken it over")
			return
		case c.nc.IsClosed():
			c.lost("it ended the connection")
			return
		case err != nil && !c.nc.IsConnected():
			continue // will be restored
		case err != nil:
			if broken++; broken == maxBroken {
				c.lost(fmt.Sprintf("its JetStream does not work, most often because its disk is full (%s)", plainly(err)))
				return
			}
			continue
		}
		broken = 0
		c.o.Progress.Note(fmt.Sprintf("workers have %d jobs, %d wait", info.NumAckPending, info.NumPending))
		c.mu.Lock()
		queued := info.NumPending > 0 || info.NumAckPending > 0
		if queued || c.enqueuing > 0 || c.left == 0 || c.activity != before {
			idle = 0
		} else if idle++; idle == maxIdle {
			c.cancel(fmt.Errorf("%d jobs were lost, or had no result after %d deliveries; %s",
				c.left, c.o.MaxDeliver, resumes))
		}
		before = c.activity
		c.mu.Unlock()
	}
}

// lost ends the run; why is a clause in which "it" is the server.
func (c *Coordinator) lost(why string) {
	c.cancel(fmt.Errorf("%w %s: %s; %s", ErrServer, c.o.Server, why, resumes))
}

// consumerInfo counts the jobs that wait (NumPending) and that workers have (NumAckPending).
func (c *Coordinator) consumerInfo() (*jetstream.ConsumerInfo, error) {
	ctx, cancel := context.WithTimeout(c.ctx, askLimit)
	defer cancel()
	consumer, err := c.js.Consumer(ctx, jobsStream, c.run)
	if err != nil {
		return nil, err
	}
	return consumer.CachedInfo(), nil
}

// Status describes the progress of a run.
type Status struct {
	Run      string        `json:"run"`
	Title    string        `json:"title"`
	Host     string        `json:"host"` // the coordinator's
	Began    time.Time     `json:"began"`
	Kind     string        `json:"kind"`    // of its jobs
	Version  string        `json:"version"` // of the kind
	Memory   uint64        `json:"memory"`  // that a worker needs, in bytes
	Progress farm.Snapshot `json:"progress"`
	// Jobs counts the jobs of all stages so far, JobsLeft the unfinished ones.
	Jobs     int            `json:"jobs"`
	JobsLeft int            `json:"jobs_left"`
	Waiting  uint64         `json:"waiting"` // number of jobs that wait for a worker
	Held     int            `json:"held"`    // number of jobs that workers have
	Workers  []WorkerStatus `json:"workers"` // those that have returned a result
}

// WorkerStatus is a worker in a Status.
type WorkerStatus struct {
	Name     string  `json:"name"`
	Jobs     int     `json:"jobs"`      // with a stored result
	MeanMS   float64 `json:"mean_ms"`   // per job
	SilentMS int64   `json:"silent_ms"` // since the last result
}

// status returns the status of the run. It omits the queue if the server does not answer.
func (c *Coordinator) status() Status {
	st := Status{
		Run: c.run, Title: c.o.Title, Host: host(), Began: c.began,
		Kind: c.o.Kind.Name, Version: c.o.Kind.Version, Memory: c.o.Memory,
		Workers: []WorkerStatus{}, // not null in JSON
	}
	if all := c.o.Progress.Stages(0); len(all) > 0 {
		st.Progress = all[len(all)-1]
	}
	if info, err := c.consumerInfo(); err == nil {
		st.Waiting, st.Held = info.NumPending, info.NumAckPending
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	st.Jobs, st.JobsLeft = c.jobs, c.left
	for _, m := range c.members {
		w := m.WorkerStatus
		w.MeanMS, w.SilentMS = m.millis/float64(max(m.Jobs, 1)), time.Since(m.heard).Milliseconds()
		st.Workers = append(st.Workers, w)
	}
	slices.SortFunc(st.Workers, func(a, b WorkerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return st
}

func (c *Coordinator) answerStatus(msg *nats.Msg) {
	if data, err := json.Marshal(c.status()); err == nil {
		msg.Respond(data)
	}
}

// askStatus requests the status of the run in progress. It returns an error if none answers.
func askStatus(ctx context.Context, nc *nats.Conn) (s Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	msg, err := nc.RequestWithContext(ctx, statusSubject, nil)
	if err == nil {
		err = json.Unmarshal(msg.Data, &s)
	}
	return s, err
}

// AskStatus connects to a server and requests the status of the run there. The error wraps
// [ErrServer] if the server does not answer, and both ErrServer and [ErrNoRun] if no
// run answers.
func AskStatus(ctx context.Context, s Server) (Status, error) {
	nc, err := s.connect(ctx, "endwise status")
	if err != nil {
		return Status{}, err
	}
	defer nc.Close()
	st, err := askStatus(ctx, nc)
	if err != nil && ctx.Err() == nil {
		return st, fmt.Errorf("%w %s: %w", ErrServer, s, ErrNoRun)
	}
	return st, err
}

func host() string {
	name, _ := os.Hostname()
	return cmp.Or(name, "unknown")
}
