package cwbot

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// choose returns a decision with a legal move: the player's, or [engine.SoFar.Move] if the player fails
// or is late, or a quickMove.
func (g *botGame) choose(ctx context.Context, p circuitwars.Position, lim limits) engine.Decision {
	quick := quickMove(p)
	playQuick := func(cause any) engine.Decision {
		g.log.Warn("the player gave no move in time, playing a quick move", "cause", cause)
		return engine.Decision{Move: p.MoveString(quick), Source: engine.Fallback}
	}
	left := time.Until(lim.player)
	if !g.waitIdle(ctx, lim.player.Add(-engine.Reserve(left, 0))) {
		if d, _, ok := g.soFar.Move(p); ok {
			return d
		}
		return playQuick("still thinking about an earlier move")
	}
	thinking, cancel := context.WithCancel(ctx)
	defer cancel()
	clock := engine.Clock{Deadline: lim.player, MoveTime: g.MoveTime}
	a, returned, ok := engine.AskInTime(thinking, g.Player, p, clock, &g.soFar, g.wakeDelay)
	g.returned = returned
	if !ok {
		return playQuick(a.Err)
	}
	if a.Err != nil && !errors.Is(a.Err, engine.ErrLate) {
		g.log.Warn("the player failed, playing the last move it reported", "cause", a.Err)
	}
	return a.Decision
}

// waitIdle waits for the player until the deadline or the end of ctx, and reports whether it has returned.
func (g *botGame) waitIdle(ctx context.Context, deadline time.Time) bool {
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

// quickMove returns a legal move without search: one with the largest capture and, among these, one
// that leaves the opponent the smallest capture. Ties are broken at random. The game must not be over.
func quickMove(p circuitwars.Position) engine.Move {
	best, bestGain, bestLoss := engine.Move(-1), -1, 0 // after best
	segments := p.Free().Segments()
	rand.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
	for _, s := range segments {
		q, gain := occupy(p, s)
		if gain < bestGain || gain == bestGain && bestLoss == 0 {
			continue
		}
		loss := 0
		for _, r := range q.Free().Segments() {
			_, l := occupy(q, r)
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

// occupy returns the position after the free segment s is drawn, and the number of captured squares.
func occupy(p circuitwars.Position, s int) (q circuitwars.Position, gain int) {
	q, err := p.Occupy(s)
	if err != nil {
		panic(err) // s is free
	}
	return q, p.Left() - q.Left()
}
