package cwbot

import (
	"context"
	"math/rand/v2"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// choose asks the player. When the player fails, hangs past the deadline,
// panics or answers with anything but a legal move, what it has said so far
// stands in for it, or else a move of the bot's own.
func (g *botGame) choose(ctx context.Context, p circuitwars.Position, lim limits) engine.Decision {
	own := quickMove(p)
	fallback := func(cause any) engine.Decision {
		if d, _, ok := g.soFar.Move(p); ok {
			return d
		}
		g.log.Warn("the player gave no move in time, the bot plays one of its own", "cause", cause)
		return engine.Decision{Move: p.MoveString(own), Source: engine.Fallback}
	}
	left := time.Until(lim.player)
	if !g.idle(ctx, lim.player.Add(-engine.Reserve(left, 0))) {
		return fallback("still thinking about an earlier move")
	}
	thinking, cancel := context.WithCancel(ctx)
	defer cancel()
	a, returned, ok := engine.AskInTime(thinking, g.Player, p, engine.Clock{Deadline: lim.player, MoveTime: g.MoveTime}, &g.soFar, g.late)
	g.returned = returned
	if !ok {
		return fallback(a.Err)
	}
	return a.Decision
}

// idle waits until the player has returned from an earlier move that it was
// late for.
func (g *botGame) idle(ctx context.Context, deadline time.Time) bool {
	select {
	case <-g.returned:
		return true
	default:
	}
	select {
	case <-g.returned:
		return true
	case <-ctx.Done():
	case <-time.After(time.Until(deadline)):
	}
	return false
}

// quickMove is a legal move found without search: the one that captures most,
// of those the one after which the opponent can capture least, drawn at random
// among equals.
func quickMove(p circuitwars.Position) engine.Move {
	best, bestGain, bestLoss := engine.Move(-1), -1, 0
	segments := p.Free().Segments()
	rand.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
	for _, s := range segments {
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
