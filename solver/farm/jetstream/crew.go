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
)

// member is a worker as the coordinator knows it.
type member struct {
	hello
	busy    int
	jobs    int     // results it gave
	millis  float64 // that these took it
	failed  int
	checked bool // its first result was
	joined  time.Time
	heard   time.Time
}

// member finds a worker by name. c.mu is held.
func (c *Coordinator) member(name string) *member {
	m := c.crew[name]
	if m == nil {
		m = &member{hello: hello{Worker: name}, joined: time.Now()}
		c.crew[name] = m
	}
	return m
}

// maxName is the longest name of a worker, in bytes.
const maxName = 100

// fitName says whether a worker may be called that: its name stands in logs and
// errors, and the books are kept by it.
func fitName(name string) bool { return name != "" && len(name) <= maxName && clean(name) == name }

// answerHello says whether a worker may take part.
func (c *Coordinator) answerHello(msg *nats.Msg) {
	var h hello
	if len(msg.Data) > maxMessage || json.Unmarshal(msg.Data, &h) != nil || !fitName(h.Worker) {
		return
	}
	w := welcome{Run: c.run, Title: c.o.Title, AckWaitMS: c.o.AckWait.Milliseconds(), Refused: c.unfit(h)}
	if w.Refused == "" {
		c.mu.Lock()
		_, known := c.crew[h.Worker]
		m := c.member(h.Worker)
		m.hello, m.heard = h, time.Now()
		c.mu.Unlock()
		if !known {
			c.o.Log.Info("worker joined", "worker", h.Worker, "threads", h.Threads)
		}
		c.note()
	} else {
		c.mu.Lock()
		told := c.turned[h.Worker]
		c.turned[h.Worker] = true
		c.mu.Unlock()
		if !told {
			c.o.Log.Warn("worker refused", "worker", h.Worker, "why", w.Refused)
		}
	}
	respond(msg, w)
}

// unfit says why a worker may not take part, "" if it may.
func (c *Coordinator) unfit(h hello) string {
	for name, k := range c.o.Kinds {
		switch have, ok := h.Kinds[name]; {
		case !ok:
			return fmt.Sprintf("it does not know jobs of the kind %q: use the same endwise everywhere", name)
		case have != k.Version:
			return fmt.Sprintf("for jobs of the kind %q it has %s and this run needs %s: use the same endwise everywhere", name, clean(have), k.Version)
		}
	}
	if h.Memory > 0 && h.Memory < c.o.Memory {
		return fmt.Sprintf("a job needs %.1f GB of memory and it may use %.1f GB: give it more with --memory, or use another machine", float64(c.o.Memory)/1e9, float64(h.Memory)/1e9)
	}
	return ""
}

// answerBeat notes a sign of life and tells the run.
func (c *Coordinator) answerBeat(msg *nats.Msg) {
	var b beat
	if len(msg.Data) > maxMessage || json.Unmarshal(msg.Data, &b) != nil || !fitName(b.Worker) {
		return
	}
	if b.Run == c.run {
		c.mu.Lock()
		m := c.member(b.Worker)
		m.hello, m.busy, m.heard = b.hello, b.Busy, time.Now()
		c.mu.Unlock()
		c.note()
	}
	respond(msg, welcome{Run: c.run})
}

// hearTrouble ends the run when a worker cannot deliver for lack of room.
func (c *Coordinator) hearTrouble(msg *nats.Msg) {
	var t trouble
	if len(msg.Data) > maxMessage || json.Unmarshal(msg.Data, &t) != nil || t.Run != c.run || !fitName(t.Worker) {
		return
	}
	c.fail(fmt.Errorf("%w (worker %s: %s)", ErrNoRoom, t.Worker, clean(t.Error)))
}

// count keeps the books about a worker's answer.
func (c *Coordinator) count(r wireResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.results++
	m := c.member(r.Worker)
	m.heard = time.Now()
	switch {
	case r.GivenBack:
	case r.Error != "":
		m.failed++
	default:
		m.jobs++
		m.millis += r.Millis
	}
}

// silence is how long a worker may be quiet and still count as there.
func (c *Coordinator) silence() time.Duration { return max(3*beatEvery, c.o.AckWait) }

// note says on the progress who is at work.
func (c *Coordinator) note() {
	c.mu.Lock()
	n, threads := 0, 0
	for _, m := range c.crew {
		if m.Threads > 0 && time.Since(m.heard) < c.silence() {
			n++
			threads += m.Threads
		}
	}
	c.mu.Unlock()
	what := "workers"
	if n == 1 {
		what = "worker"
	}
	c.o.Progress.Note(fmt.Sprintf("%d %s, %d at once", n, what, threads))
}

func respond(msg *nats.Msg, v any) {
	if data, err := json.Marshal(v); err == nil {
		msg.Respond(data) // who asks again is answered again
	}
}

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
	for _, m := range c.crew {
		silent := time.Since(m.heard)
		w := WorkerStatus{
			Name: m.Worker, Host: clean(m.Host), Threads: m.Threads, Busy: m.busy, Jobs: m.jobs, Failed: m.failed,
			SilentMS: silent.Milliseconds(), Gone: silent >= c.silence(),
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
func askStatus(ctx context.Context, nc *nats.Conn, limit time.Duration) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
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
func AskStatus(ctx context.Context, s Server) (Status, error) {
	nc, _, err := s.connect(ctx, "endwise status")
	if err != nil {
		return Status{}, err
	}
	defer nc.Close()
	st, err := askStatus(ctx, nc, askLimit)
	if err != nil && ctx.Err() == nil {
		return st, fmt.Errorf("%w %s: %w", ErrServer, s.Shown(), ErrNoRun)
	}
	return st, err
}
