package jetstream

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"endwise/engine"
)

// maxName is the longest name of a worker, in bytes.
const maxName = 100

// fitName says whether a worker may be called that: its name stands in logs and
// errors, and the books are kept by it.
func fitName(name string) bool {
	return name != "" && len(name) <= maxName && engine.OneLine(name, maxName) == name
}

// member is a worker as the coordinator knows it.
type member struct {
	hello           // the last one
	jobs    int     // results it gave
	millis  float64 // that these took it
	failed  int
	checked bool // its first result was
	joined  time.Time
	heard   time.Time
}

// member finds a worker by name. c.mu is held.
func (c *Coordinator) member(name string) *member {
	m := c.members[name]
	if m == nil {
		m = &member{hello: hello{Worker: name}, joined: time.Now()}
		c.members[name] = m
	}
	return m
}

// answerWorker says whether a worker may take part, and notes its signs of life.
func (c *Coordinator) answerWorker(msg *nats.Msg) {
	var h hello
	if !decode(msg.Data, &h) || !fitName(h.Worker) {
		return
	}
	w := welcome{Run: c.run, Title: c.o.Title, AckWaitMS: c.o.AckWait.Milliseconds(), Refused: c.refusal(h)}
	c.mu.Lock()
	switch {
	case h.Run != "" && h.Run != c.run: // it learns that there is another run
	case w.Refused != "":
		if !c.refused[h.Worker] {
			c.o.Log.Warn("worker refused", "worker", h.Worker, "why", w.Refused)
		}
		c.refused[h.Worker] = true
	default:
		if c.members[h.Worker] == nil {
			c.o.Log.Info("worker joined", "worker", h.Worker, "threads", h.Threads)
		}
		m := c.member(h.Worker)
		m.hello, m.heard = h, time.Now()
	}
	c.mu.Unlock()
	c.note()
	respond(msg, w)
}

// refusal says why a worker may not take part, "" if it may.
func (c *Coordinator) refusal(h hello) string {
	for name, k := range c.o.Kinds {
		switch have, ok := h.Kinds[name]; {
		case !ok:
			return fmt.Sprintf("it does not know jobs of the kind %q: use the same endwise everywhere", name)
		case have != k.Version:
			return fmt.Sprintf("for jobs of the kind %q it has %s and this run needs %s: use the same endwise everywhere", name, engine.OneLine(have, maxReason), k.Version)
		}
	}
	if h.Memory > 0 && h.Memory < c.o.Memory {
		return fmt.Sprintf("a job needs %.1f GB of memory and it may use %.1f GB: give it more with --memory, or use another machine", float64(c.o.Memory)/1e9, float64(h.Memory)/1e9)
	}
	return ""
}

// hearTrouble ends the run when a worker cannot deliver for lack of room.
func (c *Coordinator) hearTrouble(msg *nats.Msg) {
	var t trouble
	if !decode(msg.Data, &t) || t.Run != c.run || !fitName(t.Worker) {
		return
	}
	c.cancel(fmt.Errorf("%w (worker %s: %s)", ErrNoRoom, t.Worker, engine.OneLine(t.Error, maxReason)))
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

// gone says whether a worker has been quiet for too long to count as there.
func (c *Coordinator) gone(m *member) bool {
	return time.Since(m.heard) >= max(3*beatEvery, c.o.AckWait)
}

// note says on the progress who is at work.
func (c *Coordinator) note() {
	c.mu.Lock()
	n, threads := 0, 0
	for _, m := range c.members {
		if m.Threads > 0 && !c.gone(m) {
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

// decode reads a message that anybody may have sent; false for one that is none
// of ours.
func decode(data []byte, v any) bool {
	return len(data) <= maxMessage && json.Unmarshal(data, v) == nil
}

func respond(msg *nats.Msg, v any) {
	if data, err := json.Marshal(v); err == nil {
		msg.Respond(data) // who asks again is answered again
	}
}
