package wyb

import (
	"time"

	"endwise/engine"
	"endwise/engine/watchyourback"
)

// Pace spreads the time of a game over its moves.
type Pace struct {
	// Game is the processor time for the whole game, 0 for no limit; Move is
	// the most for one move, 0 for none.
	Game, Move time.Duration
	// Threads is how many threads the player thinks with, each of which takes
	// processor time; 0 means one.
	Threads int
}

// stretch is how many times its share of the game's time a move may take where
// the player has just changed its mind.
const stretch = 3

// Clock is the clock for a move in p when used of the game's time is gone.
// With neither limit it is the zero clock. Where a game's time is to be shared
// out, the deadline is beyond the time to aim for.
func (c Pace) Clock(p watchyourback.Position, used time.Duration) engine.Clock {
	d, most := c.Move, c.Move
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
		if d == 0 || share < d {
			d = share
		}
		if most == 0 || stretch*share < most {
			most = stretch * share
		}
	}
	if d <= 0 {
		return engine.Clock{}
	}
	return engine.Clock{Deadline: time.Now().Add(most), MoveTime: d}
}
