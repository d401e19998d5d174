package cwhttp

import (
	"context"
	"fmt"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// Ponderer is a player that can use the opponent's time.
type Ponderer interface {
	// Ponder thinks about a position in which the opponent is to move, and
	// returns soon after the context has ended. It is never called at the same
	// time as Choose.
	Ponder(ctx context.Context, p engine.Position)
}

// ponder lets the player think about the opponent's position, until a status
// gives the bot the turn. Requests go on meanwhile as ever.
func (g *botGame) ponder(ctx context.Context, p circuitwars.Position) {
	player, ok := g.Player.(Ponderer)
	if !ok || !g.Ponder || g.stop != nil && p.Drawn() == g.pondered {
		return
	}
	g.stopPondering()
	select {
	case <-g.busy:
	default:
		return // late with something else
	}
	ctx, g.stop = context.WithCancel(ctx)
	busy := make(chan struct{})
	g.busy, g.pondered = busy, p.Drawn()
	go func() {
		defer close(busy)
		defer func() {
			if r := recover(); r != nil {
				g.log.Warn("the player failed while the opponent was thinking", "cause", r)
			}
		}()
		player.Ponder(ctx, p)
	}()
}

func (g *botGame) stopPondering() {
	if g.stop != nil {
		g.stop()
	}
}

// choose asks the player. When the player fails, hangs past the deadline,
// panics or answers with anything but a legal move, the bot's own move stands
// in for it.
func (g *botGame) choose(ctx context.Context, p circuitwars.Position, lim limits) (d engine.Decision, rescued bool) {
	own := quickMove(p)
	rescue := func(cause any) (engine.Decision, bool) {
		g.log.Warn("the player gave no move in time, the bot plays one of its own", "cause", cause)
		return engine.Decision{Move: p.MoveString(own), Source: "rescue"}, true
	}
	if !g.idle(ctx, lim.player) {
		return rescue("still thinking about an earlier move")
	}
	type answer struct {
		d   engine.Decision
		err error
	}
	answers, busy := make(chan answer, 1), make(chan struct{})
	g.busy = busy
	// Counted from now where the deadline has passed already, so that a player
	// that needs no time is heard. Half of the grace is for a player that
	// looks at its context only.
	think, grace := max(time.Until(lim.player), 0), lim.wait.Sub(lim.player)
	thinking, cancel := context.WithTimeout(ctx, think+grace/2)
	defer cancel()
	go func() {
		defer close(busy)
		defer func() {
			if r := recover(); r != nil {
				answers <- answer{err: fmt.Errorf("panic: %v", r)}
			}
		}()
		d, err := g.Player.Choose(thinking, p, engine.Clock{Deadline: lim.player, MoveTime: g.MoveTime})
		answers <- answer{d, err}
	}()
	late := time.NewTimer(think + grace)
	defer late.Stop()
	select {
	case a := <-answers:
		if a.err != nil {
			return rescue(a.err)
		}
		if _, err := p.ParseMove(a.d.Move); err != nil {
			return rescue(err)
		}
		return a.d, false
	case <-late.C:
		return rescue("no answer")
	}
}

// idle waits until the player has returned from an earlier move that it was
// late for.
func (g *botGame) idle(ctx context.Context, deadline time.Time) bool {
	select {
	case <-g.busy:
		return true
	default:
	}
	t := time.NewTimer(time.Until(deadline))
	defer t.Stop()
	select {
	case <-g.busy:
		return true
	case <-ctx.Done():
	case <-t.C:
	}
	return false
}

// quickMove is a legal move found without search: the one that captures most,
// of those the one after which the opponent can capture least.
func quickMove(p circuitwars.Position) engine.Move {
	best, bestGain, bestLoss := engine.Move(-1), -1, 0
	for _, s := range p.Free().Segments() {
		q, gain := play(p, s)
		if gain < bestGain || gain == bestGain && bestLoss == 0 {
			continue
		}
		loss := 0
		for _, r := range q.Free().Segments() {
			_, l := play(q, r)
			if loss = max(loss, l); gain == bestGain && loss >= bestLoss {
				break
			}
		}
		if gain > bestGain || loss < bestLoss {
			best, bestGain, bestLoss = engine.Move(s), gain, loss
		}
	}
	return best
}

// play occupies a free segment and counts the squares that it captures.
func play(p circuitwars.Position, s int) (q circuitwars.Position, gain int) {
	q, err := p.Occupy(s)
	if err != nil {
		panic(err) // s is free
	}
	return q, p.Left() - q.Left()
}
