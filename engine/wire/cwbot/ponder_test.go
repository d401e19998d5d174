package cwbot

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/wire/cwhttp"
)

// ponderer is a player that uses all the time of both sides.
type ponderer struct {
	t       *testing.T
	side    engine.Side
	active  atomic.Int32
	ponders atomic.Int32
	fail    bool
}

func (*ponderer) Name() string { return "ponderer" }

func (p *ponderer) enter() {
	if p.active.Add(1) != 1 {
		p.t.Error("asked for two things at once")
	}
}

func (p *ponderer) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	p.enter()
	defer p.active.Add(-1)
	d, _ := c.Remaining()
	time.Sleep(d / 2)
	return enginetest.First(ctx, pos, c)
}

func (p *ponderer) Ponder(ctx context.Context, pos engine.Position) {
	p.enter()
	defer p.active.Add(-1)
	p.ponders.Add(1)
	if pos.(circuitwars.Position).Turn() == p.side {
		p.t.Error("asked to ponder its own turn")
	}
	<-ctx.Done()
	if p.fail {
		panic("out of ideas")
	}
}

// A bot ponders only while the opponent thinks, once per turn, and requests statuses as it
// does without pondering. If pondering fails, the player still plays.
func TestPonder(t *testing.T) {
	for _, fail := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, cwhttp.ServerConfig{Board: "3x3", Timeout: 3 * time.Second})
			var players [2]*ponderer
			for i := range players {
				players[i] = &ponderer{t: t, side: engine.First + engine.Side(i), fail: fail}
			}
			outs, wires := meet(t, s, 0, [2]Bot{{Player: players[0], Ponder: true}, {Player: players[1]}})
			for i, w := range wires {
				if d := slices.Min(w.gaps()); d < DefaultInterval {
					t.Errorf("player %d: %v between two requests", i+1, d)
				}
			}
			if outs[0].Fallbacks+outs[1].Fallbacks > 0 || outs[0].Status.Code.Kind() != circuitwars.KindWon {
				t.Errorf("%d and %d fallbacks, the game ends with %d", outs[0].Fallbacks, outs[1].Fallbacks, outs[0].Status.Code)
			}
			if n := int(players[0].ponders.Load()); n < outs[1].Moves-1 || n > outs[1].Moves {
				t.Errorf("pondered %d times while the opponent made %d moves", n, outs[1].Moves)
			}
			if n := players[1].ponders.Load(); n > 0 {
				t.Errorf("pondered %d times although it was switched off", n)
			}
			if players[0].active.Load() != 0 {
				t.Error("the player still thinks after the game")
			}
		})
	}
}
