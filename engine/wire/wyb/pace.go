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
	// one move, 0 for none: processor time per thread if Game is set, else wall-clock time.
	Game, Move time.Duration
	Threads    int // of the player; 0 means one
}

// stretch is the ratio of a move's limit to its share of the game's time.
const stretch = 3

const (
	decided    = 140 // the turn of the moving phase at which most games are decided
	movesAfter = 12  // own moves after this turn that get a share of the time
)

// wallFactor is the maximum ratio of wall-clock to processor time of a move.
const wallFactor = 10

// longest returns the wall-clock limit of one move, 0 for none.
func (c Pace) longest() time.Duration {
	if c.Game > 0 {
		return wallFactor * c.Move
	}
	return c.Move
}

// share returns the time to aim for in the position p and the limit of the move, each 0 for none. Both
// are processor time per thread if c.Game is set, otherwise wall-clock time. used is the processor
// time of the game already used.
func (c Pace) share(p watchyourback.Position, used time.Duration) (aim, limit time.Duration) {
	if c.Game <= 0 {
		return c.Move, c.Move
	}
	// The time is divided among the own moves until the turn decided and, in the moving phase, movesAfter
	// more.
	moves := movesAfter
	switch {
	case p.Phase() == watchyourback.Placing:
		moves = (watchyourback.PlacingTurns-p.Turns())/2 + decided/2
	case p.Turns() < decided:
		moves += (decided - p.Turns()) / 2
	}
	// A twentieth of the time is kept for messages and garbage collection.
	left := c.Game - c.Game/20 - used
	aim = max(left/time.Duration(moves*max(1, c.Threads)), time.Millisecond)
	limit = stretch * aim
	if c.Move > 0 {
		aim, limit = min(aim, c.Move), min(limit, c.Move)
	}
	return aim, limit
}

// Spender keeps a player within a Pace. If the game's processor time is limited, it converts a move's
// share to the wall-clock time of the player's clock, by the ratio of wall-clock to processor time in
// recent moves, and stops the player at the move's limit of processor time.
type Spender struct {
	Pace Pace

	// Sums over moves, weighted towards recent ones.
	wall, cpu time.Duration
}

const (
	watchInterval = 5 * time.Millisecond  // between readings of the processor time
	minSample     = 10 * time.Millisecond // the minimum processor time of a move that changes the ratio
)

// Clock returns the clock for a move in p, which begins now; the zero clock if there are no limits.
// used is the processor time of the game already used.
func (s *Spender) Clock(p watchyourback.Position, used time.Duration) engine.Clock {
	aim, limit := s.Pace.share(p, used)
	if aim <= 0 {
		return engine.Clock{}
	}
	if s.Pace.Game > 0 && s.cpu > 0 {
		// slow is the wall-clock time per processor time of one thread.
		threads := float64(max(1, s.Pace.Threads))
		slow := min(max(float64(s.wall)*threads/float64(s.cpu), 1), wallFactor)
		aim, limit = time.Duration(slow*float64(aim)), time.Duration(slow*float64(limit))
	}
	return engine.Clock{Deadline: time.Now().Add(limit), MoveTime: aim}
}

// Spend calls choose with the clock for a move in p and returns the processor time that this process used
// meanwhile. At the limit of processor time the context of choose is cancelled. used is as in Clock.
func (s *Spender) Spend(ctx context.Context, p watchyourback.Position, used time.Duration,
	choose func(context.Context, engine.Clock)) time.Duration {
	begin, before := time.Now(), program.OwnCPU()
	clock := s.Clock(p, used)
	within, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	if s.Pace.Game > 0 {
		_, limit := s.Pace.share(p, used)
		end := before + limit*time.Duration(max(1, s.Pace.Threads))
		watching.Go(func() {
			for program.OwnCPU() < end && engine.Pause(within, watchInterval) == nil {
			}
			cancel()
		})
	}
	choose(within, clock)
	cancel()
	watching.Wait()
	spent := program.OwnCPU() - before
	if spent >= minSample {
		s.wall, s.cpu = s.wall/2+time.Since(begin), s.cpu/2+spent
	}
	return spent
}
