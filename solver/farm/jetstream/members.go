package jetstream

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"endwise/engine"
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
	m := c.members[name]
	if m == nil {
		m = &member{hello: hello{Worker: name}, joined: time.Now()}
		c.members[name] = m
	}
	return m
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
	c.fail(fmt.Errorf("%w (worker %s: %s)", ErrNoRoom, t.Worker, engine.OneLine(t.Error, maxReason)))
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
	for _, m := range c.members {
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
