package dabws

import (
	"context"
	"sync"
	"time"

	"endwise/engine"
)

// pondering schedules the pondering of an agent. The agent ponders one game at a time, and none while
// any game waits for an answer.
type pondering struct {
	mu        sync.Mutex
	answering int                // number of games that wait for an answer
	stop      context.CancelFunc // ends the current pondering; nil if there is none
	returned  chan struct{}      // closed when the player has returned from the current pondering
	changed   chan struct{}      // closed when another game may ponder; nil if no game waits for that
}

// suspend prevents pondering until done is called, which may be called repeatedly. If the player is
// pondering, suspend stops it, and returned is closed when the player has returned; otherwise
// returned is nil.
func (p *pondering) suspend() (returned <-chan struct{}, done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answering++
	if p.stop != nil {
		p.stop()
		returned = p.returned
	}
	return returned, sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.answering--
		p.wake()
	})
}

// wake ends the waits in begin if a game may ponder. The lock must be held.
func (p *pondering) wake() {
	if p.changed != nil && p.answering == 0 && p.stop == nil {
		close(p.changed)
		p.changed = nil
	}
}

// begin waits until the calling game may ponder. It may do so until thinking ends, and the caller must
// then call end once. ok is false if ctx ends during the wait; thinking and end are then nil.
func (p *pondering) begin(ctx context.Context) (thinking context.Context, end func(), ok bool) {
	for {
		p.mu.Lock()
		if p.answering == 0 && p.stop == nil && ctx.Err() == nil {
			pondering, stop := context.WithCancel(ctx)
			returned := make(chan struct{})
			p.stop, p.returned = stop, returned
			p.mu.Unlock()
			return pondering, func() {
				stop()
				p.mu.Lock()
				defer p.mu.Unlock()
				p.stop = nil
				close(returned)
				p.wake()
			}, true
		}
		if p.changed == nil {
			p.changed = make(chan struct{})
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil, false
		}
	}
}

// ponder starts pondering the position of g, in which the opponent is to move, until g.stop is
// called, at most for the opponent's time limit. Pondering pauses while another game needs an answer.
func (c *connection) ponder(ctx context.Context, g *game, arrived time.Time) {
	position, ok := g.pos.(solvable)
	if !c.agent.Ponder || !ok {
		return
	}
	g.stop()
	ctx, cancel := context.WithDeadline(ctx, arrived.Add(g.limit))
	g.stop = cancel
	pos, id := position.Position, g.id
	c.thinking.Go(func() {
		defer cancel()
		for {
			thinking, end, ok := c.agent.pondering.begin(ctx)
			if !ok {
				return
			}
			err := engine.Ponder(thinking, c.agent.Player, pos)
			if err != nil {
				c.log.Warn("pondering failed", "game", id, "cause", err)
			}
			over := err != nil || thinking.Err() == nil
			end()
			if over {
				return
			}
		}
	})
}
