package dabws

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// The player's clock shows the limit minus the overhead of the network, which is at most
// half of it, for any wake-up delay.
func TestClockShowsTheLimit(t *testing.T) {
	const limit = 500 * time.Millisecond
	for overhead, want := range map[time.Duration]time.Duration{0: limit, 50 * time.Millisecond: 450 * time.Millisecond, time.Second: limit / 2} {
		synctest.Test(t, func(t *testing.T) {
			wakeDelay := engine.NewWakeDelay(time.Sleep)
			for range 4 {
				time.Sleep(time.Second)
				wakeDelay.Note(100*time.Millisecond, time.Now())
			}
			player := enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, clock engine.Clock) (engine.Decision, error) {
				if left := time.Until(clock.Deadline); left != want || clock.MoveTime != want-engine.Reserve(want, 100*time.Millisecond) {
					t.Errorf("overhead %v: the player is told %v and %v to aim for, want %v", overhead, left, clock.MoveTime, want)
				}
				return enginetest.First(ctx, p, clock)
			})
			c := &connection{agent: &Agent{Player: player, Overhead: overhead, wakeDelay: wakeDelay}, log: slog.New(slog.DiscardHandler)}
			if _, d := c.choose(t.Context(), empty(t, 2, 2), new(engine.SoFar), c.log, limit, time.Now(), nil); d.Source == engine.Fallback {
				t.Errorf("overhead %v: a line without the player", overhead)
			}
			c.thinking.Wait()
		})
	}
}

// A player that panics, hangs, fails or names an illegal line does not lose the game: a
// legal line is chosen within the limit, and the player is called again for the next one.
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
			c := &connection{agent: &Agent{Player: player, wakeDelay: engine.NewWakeDelay(time.Sleep)}, log: slog.New(slog.DiscardHandler)}
			pos := empty(t, 2, 2)
			for n := range 4 {
				begin := time.Now()
				line, d := c.choose(t.Context(), pos, new(engine.SoFar), c.log, limit, begin, nil)
				if took := time.Since(begin); took > limit || (d.Source == engine.Fallback) != (n < 3) {
					t.Errorf("%s: line %d comes after %v from %q", name, n+1, took, d.Source)
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

// If a player fails after it has proved a line, the agent follows the line.
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
			if m, d := c.choose(t.Context(), p, soFar, c.log, time.Minute, time.Now(), nil); p.MoveString(m) != want || (d.Source == engine.Fallback) != (n > 0) {
				t.Errorf("move %d is %s from %q, want %s", n, p.MoveString(m), d.Source, want)
			}
		}
		m, err := p.ParseMove(want)
		testenv.OK(t, err)
		p, err = p.DrawLine(m)
		testenv.OK(t, err)
	}
}

// Games that wait concurrently share the time: each one searches for an equal part, and is
// answered within its limit, even if players hang. A later game has its whole time.
func TestGamesShareTheTime(t *testing.T) {
	const limit = 500 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var hang bool
		var searched []time.Duration
		player := enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, clock engine.Clock) (engine.Decision, error) {
			begin, hangs := time.Now(), hang
			<-ctx.Done()
			mu.Lock()
			searched = append(searched, time.Since(begin))
			mu.Unlock()
			if hangs {
				time.Sleep(time.Minute)
			}
			return enginetest.First(ctx, p, clock)
		})
		conn := &connection{agent: &Agent{Player: player, wakeDelay: engine.NewWakeDelay(time.Sleep)}, log: slog.New(slog.DiscardHandler)}
		for _, step := range []struct {
			games int
			hang  bool
			limit time.Duration // of an additional game that arrived earlier; 0 for none
		}{{1, false, 0}, {2, true, 0}, {1, false, 0}, {40, false, 0}, {40, true, 0}, {40, false, time.Hour}, {1, false, 0}} {
			hang, searched = step.hang, nil
			ctx, stop := context.WithCancel(t.Context())
			if step.limit > 0 {
				conn.thinking.Go(func() { conn.choose(ctx, empty(t, 2, 2), new(engine.SoFar), conn.log, step.limit, time.Now(), nil) })
				synctest.Wait()
			}
			var wg sync.WaitGroup
			for range step.games {
				wg.Go(func() {
					begin := time.Now()
					_, d := conn.choose(ctx, empty(t, 2, 2), new(engine.SoFar), conn.log, limit, begin, nil)
					if took := time.Since(begin); took > limit || (d.Source == engine.Fallback) != step.hang {
						t.Errorf("%+v: a line from %q after %v", step, d.Source, took)
					}
				})
			}
			wg.Wait()
			stop()
			synctest.Wait()
			games := step.games
			if step.limit > 0 {
				games++
			}
			share := (limit - engine.Reserve(limit, 0)) / time.Duration(games)
			if len(searched) != games || slices.Min(searched) < share-time.Millisecond || slices.Max(searched) > share+time.Millisecond {
				t.Errorf("%+v: searches of %v, want %v", step, searched, share)
			}
			time.Sleep(time.Second)
		}
		conn.thinking.Wait()
	})
}
