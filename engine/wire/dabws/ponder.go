package dabws

import (
	"context"
	"sync"
	"time"

	"endwise/engine"
)

// pondering is what an agent does in its opponents' time. It ponders one game
// at a time and none while any waits for an answer, so that no game's answer
// has less of the processor because of another one's pondering.
type pondering struct {
	mu        sync.Mutex
	answering int                // games that wait for an answer
	stop      context.CancelFunc // ends what is pondered; nil where nothing is
	returned  chan struct{}      // closed when that has returned
	changed   chan struct{}      // closed when a game may ponder again; nil where none waits
}

// answer ends pondering for a game that must move, until done is called, more
// than once if need be. returned is closed when the player has returned from it,
// nil where it ponders nothing.
func (p *pondering) answer() (returned <-chan struct{}, done func()) {
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

// wake lets those that wait look again.
func (p *pondering) wake() {
	if p.changed != nil && p.answering == 0 && p.stop == nil {
		close(p.changed)
		p.changed = nil
	}
}

// begin waits until a game may ponder. What it does then must end with the
// context that is returned, and be followed by end. ok is false where ctx has
// ended before.
func (p *pondering) begin(ctx context.Context) (thinking context.Context, end func(), ok bool) {
	for {
		p.mu.Lock()
		if p.answering == 0 && p.stop == nil && ctx.Err() == nil {
			thinking, stop := context.WithCancel(ctx)
			returned := make(chan struct{})
			p.stop, p.returned = stop, returned
			p.mu.Unlock()
			return thinking, func() {
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

// ponder lets the player think about the position of g, in which the opponent
// is to move, until the game goes on, and at most for the time that the
// opponent has. Where another game needs an answer meanwhile, pondering goes on
// after that.
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
				c.log.Warn("the player failed", "game", id, "cause", err)
			}
			over := err != nil || thinking.Err() == nil // there is nothing left to think about
			end()
			if over {
				return
			}
		}
	})
}
