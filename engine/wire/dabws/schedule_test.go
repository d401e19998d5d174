package dabws

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// timed is a player that notes how much time it is told to have.
type timed struct {
	engine.Player
	left *time.Duration
}

func (p timed) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	*p.left = time.Until(c.Deadline)
	return p.Player.Choose(ctx, pos, c)
}

// A player is told the limit less the margin, however late the machine is: what
// that takes is kept back once, by the player.
func TestMarginIsAllThatIsKeptBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lateness := engine.NewLateness(time.Sleep)
		for range 4 {
			time.Sleep(time.Second)
			lateness.Note(100*time.Millisecond, time.Now())
		}
		const limit = 500 * time.Millisecond
		for margin, want := range map[time.Duration]time.Duration{0: 455 * time.Millisecond, 50 * time.Millisecond: 450 * time.Millisecond, time.Second: limit / 2} {
			var left time.Duration
			a := &Agent{Player: timed{level(t, 1), &left}, Margin: margin, late: lateness}
			c := &connection{agent: a, log: slog.New(slog.DiscardHandler)}
			if _, source := c.choose(t.Context(), empty(t, 2, 2), new(engine.SoFar), c.log, limit, time.Now(), nil); source == engine.Fallback || left != want {
				t.Errorf("margin %v: the player is told %v, want %v; the line is from %s", margin, left, want, source)
			}
			c.thinking.Wait()
		}
	})
}

// hanging says a line and then hangs.
type hanging struct{ timed }

func (h hanging) ChooseImproving(ctx context.Context, pos engine.Position, c engine.Clock, improved func(engine.Decision)) (engine.Decision, error) {
	moves := pos.Moves()
	improved(engine.Decision{Move: pos.MoveString(moves[len(moves)-1]), Source: "search"})
	return h.Choose(ctx, pos, c)
}

func (h hanging) Choose(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
	time.Sleep(time.Minute)
	return engine.Decision{}, nil
}

// When a player is late the line goes out that it has said so far: at the margin,
// earlier by twice as much as the machine is late, up to a quarter of the limit.
func TestLinesSoFarAreSent(t *testing.T) {
	const ms = time.Millisecond
	for late, want := range map[time.Duration]time.Duration{0: 455 * ms, 50 * ms: 355 * ms, time.Second: 330 * ms} {
		synctest.Test(t, func(t *testing.T) {
			a := &Agent{Player: hanging{}, late: engine.NewLateness(time.Sleep)}
			for range 2 {
				time.Sleep(2 * time.Second)
				a.late.Note(late, time.Now())
			}
			c, begin := &connection{agent: a, log: slog.New(slog.DiscardHandler)}, time.Now()
			pos := empty(t, 2, 2)
			moves := pos.Moves()
			line, source := c.choose(t.Context(), pos, new(engine.SoFar), c.log, 500*ms, begin, nil)
			if took := time.Since(begin); line != moves[len(moves)-1] || source != "search" || took < want || took > want+2*ms {
				t.Errorf("late by %v: line %d from %s after %v, want %v", late, line, source, took, want)
			}
			c.thinking.Wait()
		})
	}
}

// A player that panics, hangs, fails or names an illegal line costs no game: a legal
// line is chosen within the limit, and the player is asked again for the next one.
func TestEmergencyLines(t *testing.T) {
	const limit = 500 * time.Millisecond
	for name, bad := range map[string]enginetest.PlayerFunc{
		"panics": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) { panic("no idea") },
		"hangs": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			time.Sleep(time.Hour)
			return engine.Decision{}, nil
		},
		"fails": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			return engine.Decision{}, errors.New("no idea")
		},
		"illegal": func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			return engine.Decision{Move: "h9,9"}, nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			player := enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
				if asked.Add(1) > 3 {
					return enginetest.First(ctx, p, c)
				}
				return bad(ctx, p, c)
			})
			c := &connection{agent: &Agent{Player: player, late: engine.NewLateness(time.Sleep)}, log: slog.New(slog.DiscardHandler)}
			pos := empty(t, 2, 2)
			for n := range 4 {
				begin := time.Now()
				line, source := c.choose(t.Context(), pos, new(engine.SoFar), c.log, limit, begin, nil)
				if took := time.Since(begin); took > limit || (source == engine.Fallback) != (n < 3) {
					t.Errorf("%s: line %d comes after %v from %q", name, n+1, took, source)
				}
				var err error
				if pos, err = pos.DrawLine(line); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			c.thinking.Wait()
		})
	}
}

// A player that fails after it has proved a line follows the line.
func TestAgentFollowsALine(t *testing.T) {
	line := []string{"h0,0", "v1,2", "h2,1"}
	p := empty(t, 2, 2)
	soFar := new(engine.SoFar)
	for n, want := range line {
		if n%2 == 0 {
			c := &connection{agent: &Agent{Player: enginetest.PlayerFunc(func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
				if n > 0 {
					return engine.Decision{}, errors.New("no idea")
				}
				return engine.Decision{Move: line[0], Proof: engine.Exact, Line: line}, nil
			})}, log: slog.New(slog.DiscardHandler)}
			if m, source := c.choose(t.Context(), p, soFar, c.log, time.Minute, time.Now(), nil); p.MoveString(m) != want || (source == engine.Fallback) != (n > 0) {
				t.Errorf("move %d is %s from %q, want %s", n, p.MoveString(m), source, want)
			}
		}
		m, err := p.ParseMove(want)
		testenv.OK(t, err)
		p, err = p.DrawLine(m)
		testenv.OK(t, err)
	}
}

// Players that hang, for one game or for many at once, hold up no other game and no later
// one: each is asked at once, has all of its time and is not late.
func TestAgentRecovers(t *testing.T) {
	const limit, told = 500 * time.Millisecond, 455 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		var hang atomic.Bool
		player := enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, clock engine.Clock) (engine.Decision, error) {
			if hang.Load() {
				time.Sleep(time.Minute)
			} else if left, _ := clock.Remaining(); left != told {
				t.Errorf("a player is told %v, want %v", left, told)
			}
			time.Sleep(told - time.Millisecond)
			return enginetest.First(ctx, p, clock)
		})
		conn := &connection{agent: &Agent{Player: player, late: engine.NewLateness(time.Sleep)}, log: slog.New(slog.DiscardHandler)}
		for _, step := range []struct {
			games int
			hang  bool
		}{{2, true}, {1, false}, {40, false}, {40, true}, {40, false}, {1, false}} {
			hang.Store(step.hang)
			var wg sync.WaitGroup
			for range step.games {
				wg.Go(func() {
					begin := time.Now()
					_, source := conn.choose(t.Context(), empty(t, 2, 2), new(engine.SoFar), conn.log, limit, begin, nil)
					if took := time.Since(begin); took > limit || (source == engine.Fallback) != step.hang {
						t.Errorf("%d games, hanging %v: a line from %q after %v", step.games, step.hang, source, took)
					}
				})
			}
			wg.Wait()
		}
		conn.thinking.Wait()
	})
}
