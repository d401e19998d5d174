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

// answerHello says whether a worker may take part.
func (c *Coordinator) answerHello(msg *nats.Msg) {
	var h hello
	if len(msg.Data) > maxMessage || json.Unmarshal(msg.Data, &h) != nil || !fitName(h.Worker) {
		return
	}
	w := welcome{Run: c.run, Title: c.o.Title, AckWaitMS: c.o.AckWait.Milliseconds(), Refused: c.refusal(h)}
	if w.Refused == "" {
		c.mu.Lock()
		_, known := c.members[h.Worker]
		m := c.member(h.Worker)
		m.hello, m.heard = h, time.Now()
		c.mu.Unlock()
		if !known {
			c.o.Log.Info("worker joined", "worker", h.Worker, "threads", h.Threads)
		}
		c.note()
	} else {
		c.mu.Lock()
		told := c.refused[h.Worker]
		c.refused[h.Worker] = true
		c.mu.Unlock()
		if !told {
			c.o.Log.Warn("worker refused", "worker", h.Worker, "why", w.Refused)
		}
	}
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
