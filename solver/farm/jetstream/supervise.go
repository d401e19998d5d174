package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	for pause(c.ctx, lookEvery) {
		delivered, idle, err := c.look()
		switch {
		case c.ctx.Err() != nil:
			return
		case errors.Is(err, errGone):
			c.o.Log.Warn("the NATS server came back without its streams: they are made again")
			if err := c.restore(); err != nil {
				c.fail(err)
				return
			}
		case errors.Is(err, ErrOtherRun):
			c.fail(err)
			return
		case err != nil && c.nc.IsConnected():
			if broken++; broken == maxBroken {
				c.fail(fmt.Errorf("%w %s: its JetStream does not work any more, most often because its disk is full (%s); what is done is stored, and the same command goes on", ErrServer, c.o.Server.shown(), plainly(err)))
				return
			}
			continue
		}
		broken = 0
		c.note()
		c.mu.Lock()
		n := c.results + c.queue.sent.Load()
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

// errGone means that streams of this run are missing.
var errGone = errors.New("streams are missing")

// look says whether nothing is under way on the server: no job waits or is with
// a worker, and no result waits. delivered is the last job that a worker was
// given by then, by its sequence.
func (c *Coordinator) look() (delivered uint64, idle bool, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, askLimit)
	defer cancel()
	jobs, err := c.js.Stream(ctx, jobsStream)
	if err != nil {
		return 0, false, gone(err)
	}
	if run := jobs.CachedInfo().Config.Metadata[runKey]; run != c.run {
		return 0, false, fmt.Errorf("%w now, %s: what is done is stored, and the same command goes on there later", ErrOtherRun, c.o.Server.shown())
	}
	cons, err := jobs.Consumer(ctx, workers)
	if err != nil {
		return 0, false, gone(err)
	}
	results, err := c.js.Stream(ctx, resultsStream)
	if err != nil {
		return 0, false, gone(err)
	}
	if _, err := results.Consumer(ctx, coordinator); err != nil {
		return 0, false, gone(err)
	}
	if _, err := c.js.ObjectStore(ctx, bucketName); err != nil {
		return 0, false, gone(err)
	}
	info := cons.CachedInfo()
	return info.Delivered.Stream, info.NumPending == 0 && info.NumAckPending == 0 && results.CachedInfo().State.Msgs == 0, nil
}

func gone(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return err
}

// restore makes the streams again and fills them with what is left to do.
func (c *Coordinator) restore() error {
	if err := c.create(c.ctx); err != nil {
		return err
	}
	c.mu.Lock()
	order := c.order
	c.mu.Unlock()
	for _, d := range order {
		c.mu.Lock()
		open := c.blobs[d]
		c.mu.Unlock()
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
	state := jobs.CachedInfo().State
	for seq := state.FirstSeq; state.Msgs > 0 && seq <= min(delivered, state.LastSeq) && ctx.Err() == nil; seq++ {
		c.takeOut(ctx, jobs, seq)
	}
	if err := c.requeueOpen(); err != nil {
		c.fail(err)
	}
}

// hearLost hears that the server gave a job up.
func (c *Coordinator) hearLost(msg *nats.Msg) {
	var advisory struct {
		Seq uint64 `json:"stream_seq"`
	}
	if json.Unmarshal(msg.Data, &advisory) != nil {
		return
	}
	select {
	case c.lost <- advisory.Seq:
	default: // recoverStalled finds it
	}
}

// takeLost takes the jobs out of the queue that the server gave up.
func (c *Coordinator) takeLost() {
	for {
		select {
		case seq := <-c.lost:
			ctx, cancel := context.WithTimeout(c.ctx, askLimit)
			if jobs, err := c.js.Stream(ctx, jobsStream); err == nil {
				c.takeOut(ctx, jobs, seq)
			}
			cancel()
		case <-c.ctx.Done():
			return
		}
	}
}

// takeOut takes a job out of the queue that too many workers fell silent over.
func (c *Coordinator) takeOut(ctx context.Context, jobs jetstream.Stream, seq uint64) {
	msg, err := jobs.GetMsg(ctx, seq)
	if err != nil {
		return // done meanwhile
	}
	var w wireJob
	if json.Unmarshal(msg.Data, &w) == nil {
		if st := c.find(w.Work, w.ID); st != nil {
			why := fmt.Sprintf("%d workers in turn fell silent over it", c.o.Attempts)
			if c.o.Attempts == 1 {
				why = "its worker fell silent over it"
			}
			c.giveUp(st, w.ID, why)
		}
	}
	jobs.DeleteMsg(ctx, seq) // else the next look does it
}
