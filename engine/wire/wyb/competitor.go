package wyb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

// Competitor is a player as the referee sees it. Its methods are called by
// one goroutine at a time. Errors that cost the game are of type *Failure;
// anything else ends the game without a result.
type Competitor interface {
	// Name is what messages call the player.
	Name() string
	// Start prepares the player for a game as White or Black.
	Start(ctx context.Context, side engine.Side, strict bool) error
	// Act asks for an action in a position with its side to move.
	Act(ctx context.Context, p watchyourback.Position) (Action, error)
	// Update tells the opponent's action, which led to p.
	Update(ctx context.Context, a Action, p watchyourback.Position) error
	// End tells the winner, engine.None for a draw.
	End(winner engine.Side)
	// Used is what the player has used since Start.
	Used() program.Usage
	// Close ends the player and everything it has started.
	Close() error
}

// Kind says what a player did wrong.
type Kind string

// Kinds of failures.
const (
	Illegal     Kind = "invalid action" // the words of the real referee
	Crashed     Kind = "player failed"
	Garbage     Kind = "bad answer"
	OutOfTime   Kind = "out of time"
	OutOfMemory Kind = "out of memory"
)

// Failure is how a player lost other than on the board. Why is a sentence
// without a full stop.
type Failure struct {
	Kind Kind
	Why  string
}

// Error gives kind and reason.
func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Kind, f.Why) }

func failure(k Kind, format string, args ...any) *Failure {
	return &Failure{k, fmt.Sprintf(format, args...)}
}

// Limits are what a player may use; zero values set none, but the time for an
// answer always has a limit.
type Limits struct {
	CPU    time.Duration // in the whole game
	Space  uint64        // bytes
	Answer time.Duration // for one answer by the wall clock; 0 means DefaultAnswer
}

// DefaultAnswer is the wall-clock limit of one answer where none is given.
const DefaultAnswer = time.Minute

func (l Limits) answer() time.Duration {
	if l.Answer <= 0 {
		return DefaultAnswer
	}
	return l.Answer
}

// check says which limit is exceeded, nil if none.
func (l Limits) check(u program.Usage) error {
	switch {
	case l.CPU > 0 && u.CPU > l.CPU:
		return failure(OutOfTime, "%.2f s of processor time used, the limit is %.2f s", u.CPU.Seconds(), l.CPU.Seconds())
	case l.Space > 0 && u.Peak > l.Space:
		return failure(OutOfMemory, "%.1f MB used, the limit is %.1f MB", float64(u.Peak)/1e6, float64(l.Space)/1e6)
	}
	return nil
}

// Local is an engine.Player inside this process.
type Local struct {
	Player engine.Player
	Limits Limits
	// Pace sets the clock of each move; the zero value gives the time of
	// the answer limit.
	Pace Pace

	cpu  time.Duration
	most uint64
}

// Name implements Competitor.
func (l *Local) Name() string { return l.Player.Name() }

// Start implements Competitor.
func (l *Local) Start(context.Context, engine.Side, bool) error {
	l.cpu, l.most = 0, 0
	return nil
}

// Act implements Competitor.
func (l *Local) Act(ctx context.Context, p watchyourback.Position) (Action, error) {
	before := program.OwnCPU()
	c := l.Pace.Clock(p, l.cpu)
	if c.MoveTime == 0 {
		c = engine.ClockFor(l.Limits.answer() / 2)
	}
	ctx2, cancel := context.WithTimeout(ctx, l.Limits.answer())
	defer cancel()
	d, err := l.Player.Choose(ctx2, p, c)
	l.cpu += program.OwnCPU() - before
	switch {
	case ctx.Err() != nil:
		return Action{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return Action{}, failure(OutOfTime, "no answer within %v", l.Limits.answer())
	case err != nil:
		return Action{}, failure(Crashed, "%v", err)
	}
	if err := l.Limits.check(l.Used()); err != nil {
		return Action{}, err
	}
	m, err := watchyourback.ReadMove(d.Move)
	if err != nil {
		return Action{}, failure(Garbage, "%v", err)
	}
	return ActionOf(m), nil
}

// Update implements Competitor.
func (l *Local) Update(context.Context, Action, watchyourback.Position) error { return nil }

// End implements Competitor.
func (l *Local) End(engine.Side) {}

// Used implements Competitor. The memory is that of the whole process.
func (l *Local) Used() program.Usage {
	now := program.OwnSpace()
	l.most = max(l.most, now)
	return program.Usage{CPU: l.cpu, Space: now, Peak: l.most}
}

// Close implements Competitor.
func (l *Local) Close() error { return nil }

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
