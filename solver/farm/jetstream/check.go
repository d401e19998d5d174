package jetstream

import (
	"context"
	"fmt"
	"math/rand/v2"

	"endwise/solver/farm"
)

// maxChecks bounds the results that wait to be checked, for each core of the
// coordinator: with very many workers it checks what it can.
const maxChecks = 8

// wantsCheck says whether a worker's result is to be worked out again: its
// first one, and a share of the others that it cannot know beforehand.
func (c *Coordinator) wantsCheck(st *stage, worker string) bool {
	if c.o.Check < 0 || c.o.Kinds[st.Kind].Timed {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.member(worker)
	first := !m.checked
	if !first && rand.Float64() >= c.o.Check || c.checks >= maxChecks*cap(c.checkers) {
		return false
	}
	m.checked = true
	c.checks++
	return true
}

// check says whether a result is right. One that is wrong ends the run, and so
// does a job that cannot be worked out here.
func (c *Coordinator) check(st *stage, r wireResult) bool {
	defer func() {
		c.mu.Lock()
		c.checks--
		c.mu.Unlock()
	}()
	select {
	case c.checkers <- struct{}{}:
		defer func() { <-c.checkers }()
	case <-c.ctx.Done():
		return false
	}
	own, err := c.recompute(st, r.ID)
	switch {
	case err != nil:
		c.cancel(err)
	case own != *r.Digest:
		c.distrust(st, r.ID, r.Worker, *r.Digest, own)
	}
	return err == nil && own == *r.Digest
}

// recompute works a job out here.
func (c *Coordinator) recompute(st *stage, job int) (farm.Digest, error) {
	h, err := c.handlers.Get(st.Kind)
	if err == nil {
		var own []byte
		if own, err = farm.Carry(c.ctx, h, st.Payloads[job]); err == nil {
			return farm.DigestOf(own), nil
		}
	}
	return farm.Digest{}, fmt.Errorf("%s, job %d, worked out again: %w", st.Name, job, err)
}

// settle finds out which of two different results is wrong.
func (c *Coordinator) settle(st *stage, job int, first jobState, second wireResult) {
	own, err := c.recompute(st, job)
	switch {
	case err != nil:
		c.cancel(fmt.Errorf("%s, job %d: worker %s gave %s and worker %s gave %s: %w", st.Name, job,
			first.worker, first.sum.Short(), second.Worker, second.Digest.Short(), err))
	case own != first.sum:
		c.distrust(st, job, first.worker, first.sum, own)
	default:
		c.distrust(st, job, second.Worker, *second.Digest, own)
	}
}

// distrust ends the run because a worker gave a wrong result. What was taken
// from it is undone, and everything of later stages, which may rest on it.
func (c *Coordinator) distrust(st *stage, job int, worker string, gave, own farm.Digest) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	err := fmt.Errorf("worker %s is %w: for job %d of %s it gave %s, worked out again it is %s", worker, ErrUntrusted, job, st.Name, gave.Short(), own.Short())
	c.mu.Lock()
	stages := c.stages
	c.mu.Unlock()
	undone, tainted := 0, false
	for _, s := range stages {
		rests := tainted
		for i := range s.jobs {
			c.mu.Lock()
			j := s.jobs[i]
			c.mu.Unlock()
			if j.state != taken || !rests && j.worker != worker {
				continue
			}
			tainted = true
			if s.Undo == nil {
				continue
			}
			if uerr := s.Undo(i); uerr != nil {
				err = fmt.Errorf("%w; undoing job %d of %s: %w", err, i, s.Name, uerr)
				continue
			}
			undone++
		}
	}
	c.cancel(fmt.Errorf("%w; %d results of this run that came from it or rest on it are taken back: stop that worker and run the same command again", err, undone))
}

// localEnv is the coordinator as the environment of its own handlers.
type localEnv struct{ c *Coordinator }

func (e localEnv) Blob(_ context.Context, d farm.Digest) ([]byte, error) {
	e.c.mu.Lock()
	open := e.c.blobs[d]
	e.c.mu.Unlock()
	if open == nil {
		return nil, fmt.Errorf("%s: %w", d.Short(), farm.ErrNoBlob)
	}
	return open()
}

func (e localEnv) Threads() int { return cap(e.c.checkers) }
