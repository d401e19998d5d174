package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm/natsserver"
)

// lookEvery is the time between two looks at the streams.
const lookEvery = time.Second

// maxBroken is how many looks in a row may find a server without JetStream: one
// that starts has none for a moment, one with a full disk has none for good.
const maxBroken = 30

// supervise looks after what only the coordinator can see: streams that are
// gone because the server lost its disk, streams that belong to somebody else,
// and jobs that are neither done nor in the queue.
func (c *Coordinator) supervise() {
	var quiet, broken int
	var before uint64
	for engine.Pause(c.ctx, lookEvery) == nil {
		delivered, idle, err := c.look()
		switch {
		case c.ctx.Err() != nil:
			return
		case missing(err):
			c.o.Log.Warn("the NATS server came back without its streams: they are made again")
			if err := c.restore(); err != nil {
				c.cancel(err)
				return
			}
		case errors.Is(err, ErrOtherRun):
			c.cancel(err)
			return
		case err != nil && c.nc.IsConnected():
			if broken++; broken == maxBroken {
				c.cancel(fmt.Errorf("%w %s: its JetStream does not work any more, most often because its disk is full (%s); what is done is stored, and the same command goes on", natsserver.ErrServer, c.o.Server, natsserver.Plainly(err)))
				return
			}
			continue
		}
		broken = 0
		c.note()
		c.mu.Lock()
		n := c.results + c.sent.Load()
		c.mu.Unlock()
		if err != nil || !idle || n != before {
			quiet, before = 0, n
			continue
		}
		if quiet++; quiet == 3 {
			quiet = 0
			c.recoverStalled(delivered)
		}
	}
}

// look says whether nothing is under way on the server: no job waits or is with
// a worker, and no result waits. delivered is the last job that a worker was
// given by then, by its sequence.
func (c *Coordinator) look() (delivered uint64, idle bool, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, askLimit)
	defer cancel()
	jobs, err := c.js.Stream(ctx, jobsStream)
	if err != nil {
		return 0, false, err
	}
	if run := jobs.CachedInfo().Config.Metadata[runKey]; run != c.run {
		return 0, false, fmt.Errorf("%w now, %s: what is done is stored, and the same command goes on there later", ErrOtherRun, c.o.Server)
	}
	cons, err := jobs.Consumer(ctx, workers)
	if err != nil {
		return 0, false, err
	}
	results, err := c.js.Stream(ctx, resultsStream)
	if err != nil {
		return 0, false, err
	}
	if _, err := results.Consumer(ctx, coordinator); err != nil {
		return 0, false, err
	}
	if _, err := c.js.ObjectStore(ctx, bucketName); err != nil {
		return 0, false, err
	}
	info := cons.CachedInfo()
	return info.Delivered.Stream, info.NumPending == 0 && info.NumAckPending == 0 && results.CachedInfo().State.Msgs == 0, nil
}

// restore makes the streams again and fills them with what is left to do.
func (c *Coordinator) restore() error {
	if err := c.create(c.ctx); err != nil {
		return err
	}
	c.mu.Lock()
	blobs := maps.Clone(c.blobs)
	c.mu.Unlock()
	for d, open := range blobs {
		data, err := open()
		if err != nil {
			return err
		}
		if err := putBlob(c.ctx, c.js, d.String(), data); err != nil {
			return err
		}
	}
	return c.requeueOpen()
}

// requeueOpen enqueues the jobs that were enqueued and have no result.
func (c *Coordinator) requeueOpen() error {
	c.mu.Lock()
	stages := c.stages
	c.mu.Unlock()
	for _, st := range stages {
		for i := range st.jobs {
			c.mu.Lock()
			again := !st.over && st.jobs[i].enqueued && st.jobs[i].state == open
			c.mu.Unlock()
			if !again {
				continue
			}
			if err := c.enqueue(c.ctx, st, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverStalled deals with a queue in which nothing happens although jobs are open:
// those that a worker was given and that are still in the stream were given up
// by the server, the others got lost. Jobs after delivered may be new.
func (c *Coordinator) recoverStalled(delivered uint64) {
	ctx, cancel := context.WithTimeout(c.ctx, askLimit)
	defer cancel()
	jobs, err := c.js.Stream(ctx, jobsStream)
	if err != nil {
		return // the next look will tell
	}
	for {
		// The first that is left, whatever its sequence.
		msg, err := jobs.GetMsg(ctx, 0, jetstream.WithGetMsgSubject(jobsSubject))
		if err != nil || msg.Sequence > delivered {
			break // none, or the next look will tell
		}
		var w wireJob
		if json.Unmarshal(msg.Data, &w) == nil {
			if st := c.find(w.Work, w.ID); st != nil {
				c.giveUp(st, w.ID, c.silentOver())
			}
		}
		if jobs.DeleteMsg(ctx, msg.Sequence) != nil {
			return // the next look does it
		}
	}
	if err := c.requeueOpen(); err != nil {
		c.cancel(err)
	}
}

// silentOver says why a job is given up that the server gives to nobody any more.
func (c *Coordinator) silentOver() string {
	if c.o.Attempts == 1 {
		return "its worker fell silent over it"
	}
	return fmt.Sprintf("%d workers in turn fell silent over it", c.o.Attempts)
}
