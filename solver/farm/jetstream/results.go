package jetstream

import (
	"context"
	"fmt"

	"endwise/engine"
	"endwise/solver/farm"
)

// How the coordinator takes results: collect fetches them one by one, handle
// tells first ones from late and double ones, accept has some worked out
// again, and take hands them to their owner. A job ends taken or given up.

// collect takes the results as they come. One at a time: a result that was fetched
// and is still waiting when the wait ends would be lost for its AckWait.
func (c *Coordinator) collect() {
	for c.ctx.Err() == nil {
		msg, err := c.inbox.next(c.ctx, askLimit)
		if err != nil {
			_ = engine.Pause(c.ctx, retryEvery) // the server is away or its streams are
		}
		if msg == nil {
			continue
		}
		c.handle(msg.Data())
		if c.ctx.Err() == nil {
			msg.Ack() // one that is lost comes again, and is known then
		}
	}
}

// handle deals with one message of a worker.
func (c *Coordinator) handle(data []byte) {
	var r wireResult
	if !decode(data, &r) || !fitName(r.Worker) {
		return // not from a worker of ours
	}
	st := c.find(r.Work, r.ID)
	if st == nil {
		return // of an earlier run
	}
	c.count(r)
	switch {
	case r.GivenBack:
		c.requeue(st, r.ID)
		return
	case r.Error != "":
		c.failedAttempt(st, r.ID, fmt.Sprintf("worker %s: %s", r.Worker, engine.OneLine(r.Error, maxReason)))
		return
	case r.Digest == nil:
		c.failedAttempt(st, r.ID, fmt.Sprintf("worker %s: an answer without a result", r.Worker))
		return
	}
	c.mu.Lock()
	j := &st.jobs[r.ID]
	first := *j
	if first.state == open {
		j.state, j.sum, j.worker = answered, *r.Digest, r.Worker
	}
	c.mu.Unlock()
	switch first.state {
	case open:
		c.accept(st, r)
	case answered, taken:
		// Late or double: the same, or somebody is wrong.
		if first.sum != *r.Digest && !c.o.Kinds[st.Kind].Timed {
			c.settle(st, r.ID, first, r)
		}
	}
}

// maxReason bounds what a worker can write into an error, in bytes.
const maxReason = 500

// failedAttempt counts an attempt that ended in an error.
func (c *Coordinator) failedAttempt(st *stage, job int, why string) {
	c.mu.Lock()
	j := &st.jobs[job]
	if j.state != open {
		c.mu.Unlock()
		return
	}
	j.failed++
	over := j.failed >= c.o.Attempts
	c.mu.Unlock()
	if over {
		c.giveUp(st, job, why)
		return
	}
	c.o.Log.Warn("a job failed and is tried again", "job", job, "why", why)
	c.requeue(st, job)
}

// giveUp puts a job on the list of those that cannot be done.
func (c *Coordinator) giveUp(st *stage, job int, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := &st.jobs[job]
	if j.state != open {
		return
	}
	j.state = lost
	st.failed = append(st.failed, farm.FailedJob{ID: job, Why: why})
	c.o.Log.Error("a job is given up", "job", job, "why", why)
	c.finished(st)
}

// finished counts a job as over. c.mu is held.
func (c *Coordinator) finished(st *stage) {
	if st.left--; st.left == 0 {
		close(st.done)
	}
}

// accept has a first result taken. A long one is fetched beside the others,
// which don't wait for it: it may be missing.
func (c *Coordinator) accept(st *stage, r wireResult) {
	if !r.Long {
		c.judge(st, r, r.Result)
		return
	}
	c.group.Go(func() {
		data, err := c.fetchLong(r)
		if err != nil {
			c.again(st, r, fmt.Sprintf("worker %s: its result: %v", r.Worker, err))
			return
		}
		c.judge(st, r, data)
	})
}

// judge takes a result that is what its digest says, after a check if its turn
// has come.
func (c *Coordinator) judge(st *stage, r wireResult, data []byte) {
	if farm.DigestOf(data) != *r.Digest {
		c.again(st, r, fmt.Sprintf("worker %s: its result has another digest than it says", r.Worker))
		return
	}
	if !c.wantsCheck(st, r.Worker) {
		c.take(st, r, data)
		return
	}
	c.group.Go(func() {
		if c.check(st, r) {
			c.take(st, r, data)
		}
	})
}

// maxFetches bounds the long results that are fetched at once, and so the
// memory that they take.
const maxFetches = 16

// fetchLong fetches a long result.
func (c *Coordinator) fetchLong(r wireResult) ([]byte, error) {
	select {
	case c.fetches <- struct{}{}:
		defer func() { <-c.fetches }()
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
	return getBlob(c.ctx, c.js, r.blob(), *r.Digest)
}

// again opens a job whose result was not usable.
func (c *Coordinator) again(st *stage, r wireResult, why string) {
	if c.ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	if j := &st.jobs[r.ID]; j.state == answered {
		j.state = open
	}
	c.mu.Unlock()
	c.failedAttempt(st, r.ID, why)
}

// take hands a result to its owner.
func (c *Coordinator) take(st *stage, r wireResult, data []byte) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if c.ctx.Err() != nil || st.over {
		return
	}
	if err := st.Take(r.ID, data); err != nil {
		c.cancel(err)
		return
	}
	c.mu.Lock()
	st.jobs[r.ID].state = taken
	c.finished(st)
	c.mu.Unlock()
	if r.Long {
		ctx, cancel := context.WithTimeout(c.ctx, askLimit)
		defer cancel()
		if bucket, err := c.js.ObjectStore(ctx, bucketName); err == nil {
			bucket.Delete(ctx, r.blob()) // else it stays until the run ends
		}
	}
}
