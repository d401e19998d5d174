package cwhttp

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
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
	return first(ctx, pos, c)
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

// A bot ponders while the opponent thinks, never longer, once a turn, and
// waits for statuses as it does without; a player that fails at it still plays.
func TestPonder(t *testing.T) {
	for _, fail := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, ServerConfig{Board: "3x3", Timeout: 3 * time.Second})
			var players [2]*ponderer
			var outs [2]Outcome
			var wg sync.WaitGroup
			for i := range players {
				c, w := wired(t, s)
				players[i] = &ponderer{t: t, side: engine.First + engine.Side(i), fail: fail}
				wg.Go(func() {
					time.Sleep(time.Duration(i) * time.Second) // player 1 first
					b := Bot{Client: c, Team: string(rune('a' + i)), Player: players[i], Ponder: i == 0}
					out, err := b.Play(t.Context())
					if err != nil {
						t.Errorf("player %d: %v", i+1, err)
					}
					outs[i] = out
					for j := 1; j < len(w.times); j++ {
						if d := w.times[j].Sub(w.times[j-1]); d < DefaultInterval {
							t.Errorf("player %d: %v between two requests", i+1, d)
						}
					}
				})
			}
			wg.Wait()
			if outs[0].Fallbacks+outs[1].Fallbacks > 0 || outs[0].Status.Code.Kind() != circuitwars.WonBy1.Kind() {
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
