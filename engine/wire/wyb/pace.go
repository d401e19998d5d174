package wyb

import (
	"context"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

// Pace divides the time of a game among its moves.
type Pace struct {
	// Game is the processor time for the whole game, 0 for no limit. Move is the limit for
	// one move, 0 for none: processor time if Game is set, else wall-clock time.
	Game, Move time.Duration
	// Threads is the number of threads that the player uses, each of which takes processor
	// time; 0 means one.
	Threads int
}

// stretch is the maximum multiple of its share that a move may take after a late change of
// the best move.
const stretch = 3

// wallFactor is the maximum ratio of wall-clock to processor time of a move on a busy
// machine.
const wallFactor = 10

// longest returns the wall-clock limit of one move, 0 for none.
func (c Pace) longest() time.Duration {
	if c.Game > 0 {
		return wallFactor * c.Move
	}
	return c.Move
}

// share returns the time to aim for in p, and the limit, 0 for none. used is the part of
// the game's time already used.
func (c Pace) share(p watchyourback.Position, used time.Duration) (aim, limit time.Duration) {
	aim, limit = c.Move, c.Move
	if c.Game > 0 {
		// Half of the placements left, and the moves until well after the first shrink:
		// most games are decided there. The reserve is for the rest, messages and garbage
		// collection.
		moves := 12
		switch {
		case p.Phase() == watchyourback.Placing:
			moves = (watchyourback.PlacingTurns-p.Turns())/2 + 70
		case p.Turns() < 140:
			moves += (140 - p.Turns()) / 2
		}
		left := c.Game - c.Game/20 - used
		share := max(left/time.Duration(moves*max(1, c.Threads)), time.Millisecond)
		if aim == 0 || share < aim {
			aim = share
		}
		if limit == 0 || stretch*share < limit {
			limit = stretch * share
		}
	}
	return aim, limit
}

// Spender keeps a player within a Pace. A player's clock is wall-clock time. If the game's
// processor time is limited, a Spender sets the clock to the wall-clock time in which the
// player recently used such a share, and stops the player at the move's limit of processor
// time.
type Spender struct {
	Pace Pace

	// Wall-clock and processor time of the latest moves, weighted towards recent ones.
	wall, cpu time.Duration
}

const (
	// watch is the interval at which the processor time of a move is read.
	watch = 5 * time.Millisecond
	// telling is the minimum processor time of a move that says something about the speed
	// of the machine.
	telling = 10 * time.Millisecond
)

// Clock returns the clock for a move in p. used is the part of the game's time already
// used. Without any limit it is the zero clock. With a limit for the game the deadline is
// later than the time to aim for.
func (s *Spender) Clock(p watchyourback.Position, used time.Duration) engine.Clock {
	aim, limit := s.Pace.share(p, used)
	if aim <= 0 {
		return engine.Clock{}
	}
	if s.Pace.Game > 0 && s.cpu > 0 {
		threads := float64(max(1, s.Pace.Threads))
		slow := min(max(float64(s.wall)*threads/float64(s.cpu), 1), wallFactor)
		aim, limit = time.Duration(slow*float64(aim)), time.Duration(slow*float64(limit))
	}
	return engine.Clock{Deadline: time.Now().Add(limit), MoveTime: aim}
}

// Spend calls choose with the clock for a move in p and returns the processor time that
// this process used meanwhile. used is the part of the game's time already used. At the
// limit of processor time the context of choose is cancelled.
func (s *Spender) Spend(ctx context.Context, p watchyourback.Position, used time.Duration, choose func(context.Context, engine.Clock)) time.Duration {
	begin, before := time.Now(), program.OwnCPU()
	clock := s.Clock(p, used)
	within, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	if s.Pace.Game > 0 {
		_, limit := s.Pace.share(p, used)
		end := before + limit*time.Duration(max(1, s.Pace.Threads))
		watching.Go(func() {
			tick := time.NewTicker(watch)
			defer tick.Stop()
			for program.OwnCPU() < end {
				select {
				case <-within.Done():
					return
				case <-tick.C:
				}
			}
			cancel()
		})
	}
	choose(within, clock)
	cancel()
	watching.Wait()
	spent := program.OwnCPU() - before
	if spent >= telling {
		s.wall, s.cpu = s.wall/2+time.Since(begin), s.cpu/2+spent
	}
	return spent
}
