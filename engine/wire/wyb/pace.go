package wyb

import (
	"context"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

// Pace spreads the time of a game over its moves.
type Pace struct {
	// Game is the processor time for the whole game, 0 for no limit. Move is the
	// limit for one move, 0 for none: of processor time if Game is set, else by the
	// wall clock.
	Game, Move time.Duration
	// Threads is how many threads the player thinks with, each of which takes
	// processor time; 0 means one.
	Threads int
}

// stretch is how many times its share of the game's time a move may take where
// the player has just changed its mind.
const stretch = 3

// wallFactor is the most wall-clock time per processor time of a move, on a machine
// that is busy with other work.
const wallFactor = 10

// longest returns the limit of one move by the wall clock, 0 for none.
func (c Pace) longest() time.Duration {
	if c.Game > 0 {
		return wallFactor * c.Move
	}
	return c.Move
}

// share returns the time to aim for in p and the limit, 0 for none, when used of
// the game's time is gone.
func (c Pace) share(p watchyourback.Position, used time.Duration) (aim, limit time.Duration) {
	aim, limit = c.Move, c.Move
	if c.Game > 0 {
		// Half of what is left to place, and moves up to well behind the
		// first shrink: most games are decided there. The reserve is for the
		// rest, message handling and garbage collection.
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

// Spender keeps a player within a Pace. Players' clocks run by the wall: with a limit
// of processor time for the game a Spender sets them to the wall-clock time in which
// the player has lately used such a share, and stops the player at the limit of
// processor time for the move.
type Spender struct {
	Pace Pace

	// Wall-clock and processor time of the latest moves, older ones counting less.
	wall, cpu time.Duration
}

const (
	// watch is the interval at which the processor time of a move is read.
	watch = 5 * time.Millisecond
	// telling is the least processor time of a move from which the speed of the
	// machine follows.
	telling = 10 * time.Millisecond
)

// Clock returns the clock for a move in p when used of the game's time is gone.
// With neither limit it is the zero clock. With a limit for the game the deadline is
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

// Spend calls choose with the clock for a move in p when used of the game's time
// is gone. It ends the context of choose at the limit of processor time, and returns
// the processor time of this process meanwhile.
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
