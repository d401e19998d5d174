package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"endwise/engine"
	"endwise/solver/farm/natsserver"
)

// Status is how far a run is.
type Status struct {
	Run   string    `json:"run"`
	Title string    `json:"title"`
	Host  string    `json:"host"`
	Began time.Time `json:"began"`
	// Stage, Unit, Done, Before and Total are those of farm.Progress.
	Stage  string  `json:"stage"`
	Unit   string  `json:"unit"`
	Done   uint64  `json:"done"`
	Before uint64  `json:"before"`
	Total  uint64  `json:"total"`
	Rate   float64 `json:"rate"` // units a second since the stage began
	// LeftMS is how long the stage will still take at that rate; 0 where
	// nobody can say.
	LeftMS int64 `json:"left_ms"`
	// Jobs are those that are enqueued, JobsLeft of them not done.
	Jobs     int            `json:"jobs"`
	JobsLeft int            `json:"jobs_left"`
	Failed   int            `json:"failed"` // jobs given up
	Workers  []WorkerStatus `json:"workers"`
}

// WorkerStatus is one worker in a Status.
type WorkerStatus struct {
	Name    string  `json:"name"`
	Host    string  `json:"host"`
	Threads int     `json:"threads"`
	Busy    int     `json:"busy"`
	Jobs    int     `json:"jobs"`
	Failed  int     `json:"failed"`
	MeanMS  float64 `json:"mean_ms"` // a job
	// JobsPerMinute is its rate since it joined.
	JobsPerMinute float64 `json:"jobs_per_minute"`
	SilentMS      int64   `json:"silent_ms"`
	Gone          bool    `json:"gone"` // silent for too long
}

// Status is how far the run is now.
func (c *Coordinator) Status() Status {
	st := Status{Run: c.run, Title: c.o.Title, Host: host(), Began: c.began, Workers: []WorkerStatus{}}
	if all := c.o.Progress.Stages(0); len(all) > 0 {
		s := all[len(all)-1]
		st.Stage, st.Unit, st.Done, st.Before, st.Total = s.Stage, s.Unit, s.Done, s.Before, s.Total
		if span := time.Since(s.Began).Seconds(); span > 0 && s.Done > s.Before {
			st.Rate = float64(s.Done-s.Before) / span
			if s.Total > s.Done {
				st.LeftMS = int64(1000 * float64(s.Total-s.Done) / st.Rate)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.stages {
		st.Jobs += len(s.jobs)
		st.JobsLeft += s.left
		st.Failed += len(s.failed)
	}
	for _, m := range c.members {
		w := WorkerStatus{
			Name: m.Worker, Host: engine.OneLine(m.Host, maxReason), Threads: m.Threads, Busy: m.Busy, Jobs: m.jobs, Failed: m.failed,
			SilentMS: time.Since(m.heard).Milliseconds(), Gone: c.gone(m),
			JobsPerMinute: float64(m.jobs) / max(time.Since(m.joined).Minutes(), 1.0/60),
		}
		if m.jobs > 0 {
			w.MeanMS = m.millis / float64(m.jobs)
		}
		st.Workers = append(st.Workers, w)
	}
	slices.SortFunc(st.Workers, func(a, b WorkerStatus) int { return strings.Compare(a.Name, b.Name) })
	return st
}

func (c *Coordinator) answerStatus(msg *nats.Msg) { respond(msg, c.Status()) }

// askStatus asks whoever coordinates a run on the server.
func askStatus(ctx context.Context, nc *nats.Conn) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	msg, err := nc.RequestWithContext(ctx, statusSubject, nil)
	var s Status
	if err == nil {
		err = json.Unmarshal(msg.Data, &s)
	}
	return s, err
}

// ErrNoRun is returned by AskStatus when nobody coordinates a run.
var ErrNoRun = errors.New("no run is under way")

// AskStatus connects to a server and asks how far the run there is.
func AskStatus(ctx context.Context, s natsserver.Server) (Status, error) {
	nc, err := s.Connect(ctx, "endwise status")
	if err != nil {
		return Status{}, err
	}
	defer nc.Close()
	st, err := askStatus(ctx, nc)
	if err != nil && ctx.Err() == nil {
		return st, fmt.Errorf("%w %s: %w", natsserver.ErrServer, s, ErrNoRun)
	}
	return st, err
}
